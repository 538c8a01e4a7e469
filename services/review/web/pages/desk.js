// The desk: who is signed in, which place is shown, and the way from one document to the next.

import * as api from "./api.js";
import { putBack, typedIn, waiting } from "./aside.js";
import { Figures } from "./figures.js";
import { Item } from "./item.js";
import { isTyping, showHelp } from "./keys.js";
import { withLateWords } from "./late.js";
import { fill, make, part } from "./make.js";
import { say, toast, warn } from "./notices.js";
import { People } from "./people.js";
import { Queue } from "./queue.js";
import { SignedOut, resume, signOut } from "./session.js";
import { Trust } from "./trust.js";
import { KEYS } from "./typing.js";

const signInUrl = document.querySelector("meta[name=sign-in-url]").content;
const PLACES = { queue: [Queue, "Queue"], people: [People, "People"], stats: [Figures, "Figures"],
  trust: [Trust, "Without a person"] };
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

class Desk {
  owner = "";
  #permissions = new Set();
  #shown = null;
  #turn = 0;
  #isSignedOut = false;
  // What waits for whoever was signed out while they typed.
  #typed = null;

  async begin() {
    part("sign-out").addEventListener("click", () => this.#signOut());
    part("help").addEventListener("click", () => showHelp(KEYS));
    addEventListener("hashchange", () => this.#route());
    addEventListener("keydown", (event) => this.#key(event));
    addEventListener("focus", () => this.#typed && this.#goOn());
    // When the page is hidden it is too late to say so in the history.
    addEventListener("beforeunload", () => this.#shown?.announce?.());
    addEventListener("pagehide", () => this.#shown?.leave());
    // Shown again from the browser's memory, it would hold what it gave back.
    addEventListener("pageshow", (event) => event.persisted && location.reload());
    try {
      const session = await resume();
      this.owner = session.owner_id;
      this.#permissions = new Set(session.permissions);
      part("owner").textContent = session.name;
    } catch (error) {
      return this.failed(error);
    }
    this.#showFrame(true);
    if (!this.may("review:items:read")) return warn("You may not review documents.");
    return this.#route();
  }

  may(permission) {
    return this.#permissions.has(permission);
  }

  warn(words) {
    warn(words);
  }

  failed = (error) => {
    if (error instanceof SignedOut) this.#showSignIn();
    else warn(error.message || "Something went wrong here.");
  };

  focusView() {
    part("view").focus();
  }

  // The best that nobody holds, or the queue when there is none.
  async next() {
    try {
      const answer = await api.next();
      if (answer) return this.#put(answer);
      location.hash = "queue";
      return toast("Nothing is left that nobody holds. Well done.");
    } catch (error) {
      return this.failed(error);
    }
  }

  open(id) {
    if (location.hash === `#item/${id}`) this.#route();
    else location.hash = `item/${id}`;
  }

  // Shown without asking again: it came with the claim.
  #put(answer) {
    history.pushState(null, "", `#item/${answer.data.document_id}`);
    this.#turn += 1;
    this.#show(new Item(answer, this));
  }

  async #route() {
    // The way back leads to where the address points by now.
    if (this.#isSignedOut) return this.#showSignIn();
    const [place, what] = location.hash.slice(1).split("/");
    this.#turn += 1;
    if (place === "item" && UUID.test(what ?? "")) return this.#claim(what, this.#turn);
    const [View] = PLACES[place] ?? PLACES.queue;
    return this.#show(new View(this, what));
  }

  async #claim(id, turn) {
    try {
      const [answer, refusal] = await this.#held(id);
      if (turn === this.#turn) this.#show(new Item(answer, this, refusal));
    } catch (error) {
      if (error instanceof api.Refused && error.status === 404) {
        location.hash = "queue";
        toast("There is no such document in the queue.");
      } else this.failed(error);
    }
  }

  // Claimed, or looked at when it is somebody else's or decided.
  async #held(id) {
    try {
      return [await withLateWords(await api.act(id, "claim")), null];
    } catch (error) {
      if (error instanceof api.Refused && [403, 409].includes(error.status)) {
        return [await api.show(id), error];
      }
      throw error;
    }
  }

  async #show(view) {
    const left = this.#shown?.leave();
    this.#shown = view;
    warn("");
    const [place, [, name]] = Object.entries(PLACES).find(([, [View]]) => view instanceof View)
      ?? ["item", [null, view.detail.filename]];
    document.body.dataset.place = place;
    for (const link of part("places").children) {
      if (link.hash.startsWith(`#${place}`)) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.title = `${name} – Paperline`;
    fill(part("view"), view.element);
    // The list is to show what was given back a moment ago.
    if (view instanceof Queue) await left;
    if (this.#shown === view) {
      view.start();
      if (view instanceof Item) putBack(view, this.#typed);
      this.#typed = null;
    }
    this.#showProgress();
  }

  async #showProgress() {
    try {
      const { data } = await api.stats();
      const own = data.reviewers.find((one) => one.reviewer === this.owner);
      part("progress").textContent = `${own?.today ?? 0} done today · ${data.open} left`;
      part("progress").hidden = false;
    } catch {
      part("progress").hidden = true;
    }
  }

  #key(event) {
    // A question that is open is answered first. With Ctrl it is AltGr, and words are typed.
    if (event.defaultPrevented || event.ctrlKey || document.querySelector("dialog[open]")) return;
    if (event.altKey && event.code === "KeyQ") {
      event.preventDefault();
      location.hash = "queue";
    } else if (event.altKey && event.code === "KeyN") {
      event.preventDefault();
      this.next();
    } else if (event.key === "?" && !isTyping(event.target)) {
      event.preventDefault();
      showHelp(KEYS);
    }
  }

  async #signOut() {
    this.#shown?.leave();
    try {
      await signOut();
    } finally {
      // The page anew: nothing of what was shown stays for the next person.
      location.reload();
    }
  }

  #showFrame(isShown) {
    part("account").hidden = part("places").hidden = !isShown;
    if (!isShown) part("progress").hidden = true;
  }

  // Signed in again, in another window: as the same person or not at all.
  async #goOn() {
    try {
      const session = await resume();
      if (session.owner_id !== this.owner) return location.reload();
      this.#isSignedOut = false;
      this.#showFrame(true);
      return await this.#route();
    } catch (error) {
      return error instanceof SignedOut ? say("You are not signed in yet.") : this.failed(error);
    }
  }

  #showSignIn() {
    this.#isSignedOut = true;
    if (this.#shown instanceof Item && signInUrl) this.#typed = typedIn(this.#shown);
    this.#shown?.leave();
    this.#shown = null;
    warn("");
    this.#showFrame(false);
    document.body.dataset.place = "sign-in";
    if (this.#typed) {
      fill(part("view"), waiting(signInUrl, () => this.#goOn()));
      return part("sign-in-link").focus();
    }
    const [place, what] = location.hash.slice(1).split("/");
    const back = place === "item" && UUID.test(what ?? "") ? `/${what}` : "";
    fill(part("view"), make("section", { id: "sign-in", class: "sign-in", "aria-labelledby": "title" },
      make("h1", { id: "title", tabindex: "-1" }, "Review documents"),
      signInUrl
        ? [make("p", {}, "Sign in once, and every page of Paperline knows you."),
          make("a", { class: "button primary", id: "sign-in-link", href: `${signInUrl}/#review${back}` }, "Sign in")]
        : make("p", {}, "Sign in at the upload page of this host, then come back.")));
    return (part("sign-in-link") ?? part("title")).focus();
  }
}

new Desk().begin();
