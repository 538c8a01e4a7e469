// The ways in: with the identity provider, with a key, or both, as this installation wants it.
// Where somebody came from and why a sign-in failed stand behind the # of the address; both are
// one of few words, so that no address can lead anybody elsewhere or say something of its own.

import { SignedOut, leave, signIn } from "./session.js";

const part = (id) => document.getElementById(id);
const told = (name) => document.querySelector(`meta[name=${name}]`).content;
const PLACE = "review(?:\\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?"
  + "|console(?:\\/[a-z]{3,12}(?:\\/[0-9a-f-]{8,64})?)?";
const CAME = new RegExp(`^#(?:refused/([a-z_]+)/)?(${PLACE})?$`);

const REFUSALS = new Map(Object.entries({
  state: "This sign-in was begun in another browser or window, or took longer than ten minutes. Please sign in again.",
  denied: "The sign-in was cancelled.",
  provider: "The identity provider did not sign you in. Please try again.",
  code: "This sign-in was used already, or came too late. Please sign in again.",
  token: "What the identity provider said of you could not be verified, so you are not signed in. Please try again; if it stays so, tell whoever runs Paperline.",
  roles: "You are known, but you may not do anything here yet. Please ask whoever runs Paperline for a role.",
  setup: "The identity provider does not accept this installation. Please tell whoever runs Paperline.",
  away: "The identity provider does not answer. Please try again in a moment.",
}));

export class Entrance {
  #provider = told("sign-in-with");
  #takesKeys = told("takes-keys") === "yes";
  #came = CAME.exec(location.hash) ?? [];
  #onSession;

  constructor(onSession) {
    this.#onSession = onSession;
    part("sign-in-with").textContent = `Sign in with ${this.#provider}`;
    part("sign-in-with").addEventListener("click", () => this.#leave());
    part("sign-in-form").addEventListener("submit", (event) => this.#onKey(event));
    part("with-provider").hidden = !this.#provider;
    part("sign-in-form").hidden = !this.#takesKeys;
    // One way is the way; the other one is there.
    if (this.#provider) part("with-key").className = "quiet";
    part("or").hidden = !this.#provider || !this.#takesKeys;
  }

  // Where to go on after signing in, of our own pages; empty for this one.
  get place() {
    return this.#came[2] ?? "";
  }

  show() {
    part("sign-in").hidden = false;
    this.#refuse(REFUSALS.get(this.#came[1]) ?? "");
    part(this.#provider ? "sign-in-with" : "key").focus();
  }

  hide() {
    part("sign-in").hidden = true;
    this.#refuse("");
    this.#showKeyError("");
    if (this.#came[1]) {
      history.replaceState(null, "", this.place ? `#${this.place}` : location.pathname);
      this.#came = [];
    }
  }

  async #leave() {
    part("sign-in-with").disabled = true;
    try {
      location.assign(await leave(this.place));
    } catch (error) {
      this.#refuse(error.message);
    } finally {
      part("sign-in-with").disabled = false;
    }
  }

  async #onKey(event) {
    event.preventDefault();
    const key = part("key").value.trim();
    if (!key) return this.#showKeyError("Please paste a key.");
    try {
      const session = await signIn(key);
      part("key").value = "";
      this.#onSession(session);
    } catch (error) {
      this.#showKeyError(error instanceof SignedOut
        ? "This key is unknown, expired or revoked." : error.message);
    }
  }

  #refuse(text) {
    part("refusal").textContent = text;
    part("refusal").hidden = !text;
  }

  #showKeyError(text) {
    part("key-error").textContent = text;
    if (!text) return part("key").removeAttribute("aria-invalid");
    part("key").setAttribute("aria-invalid", "true");
    part("key").focus();
  }
}
