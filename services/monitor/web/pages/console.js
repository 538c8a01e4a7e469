// The console: who is signed in, which place is shown, and the keys that lead from one to another.

import { Audit } from "./audit.js";
import { Documents } from "./documents.js";
import { Failures } from "./failures.js";
import { Group } from "./group.js";
import { showHelp, isTyping } from "./keys.js";
import { Letter } from "./letter.js";
import { fill, make, part } from "./make.js";
import { OneOperation } from "./operation.js";
import { Operations } from "./operations.js";
import { Overview } from "./overview.js";
import { Proof } from "./proof.js";
import { Queues } from "./queues.js";
import { SignedOut, resume, signOut } from "./session.js";
import { Timeline } from "./timeline.js";
import { clearTrouble, showTrouble } from "./trouble.js";

const signInUrl = document.querySelector("meta[name=sign-in-url]").content;
// The view, which link of the bar it belongs to, and the letter that follows `g`.
const PLACES = {
  overview: [Overview, "overview", "o"],
  failures: [Failures, "failures", "f"],
  group: [Group, "failures"],
  letter: [Letter, "failures"],
  operations: [Operations, "operations", "p"],
  operation: [OneOperation, "operations"],
  queues: [Queues, "queues", "q"],
  documents: [Documents, "documents", "d"],
  document: [Timeline, "documents"],
  proof: [Proof, "proof", "c"],
  audit: [Audit, "audit", "a"],
};
const KEYS = [
  ["Go to", [
    ["g o", "Overview"],
    ["g f", "Failures"],
    ["g p", "Operations"],
    ["g q", "Queues and services"],
    ["g d", "Documents"],
    ["g c", "Proof: conservation, nothing lost or doubled"],
    ["g a", "Audit"],
  ]],
  ["Anywhere", [
    ["/", "Search a document by id, file name or SHA-256"],
    ["r", "Look again now"],
    ["Esc", "Close a dialog"],
    ["?", "This help, when no text is typed"],
  ]],
];
const CHORD_MS = 1500;
// What the page of the sign-in takes along: one of our places, and one thing there.
const PLACE = /^[a-z]{3,12}(?:\/[0-9a-f-]{8,64})?$/;

class Console {
  owner = "";
  #permissions = new Set();
  #shown = null;
  #chordUntil = 0;
  #isLook = false;

  async begin() {
    part("sign-out").addEventListener("click", () => this.#signOut());
    part("help").addEventListener("click", () => showHelp(KEYS));
    addEventListener("hashchange", () => this.#route());
    addEventListener("keydown", (event) => this.#key(event));
    addEventListener("pagehide", () => this.#shown?.leave());
    addEventListener("pageshow", (event) => event.persisted && location.reload());
    try {
      const session = await resume();
      this.owner = session.owner_id;
      this.#permissions = new Set(session.permissions);
      part("owner").textContent = session.name;
    } catch (error) {
      return this.failed(error);
    }
    part("account").hidden = false;
    if (!this.may("ops:overview:read")) return this.#showNothing();
    part("places").hidden = false;
    return this.#route();
  }

  may(permission) {
    return this.#permissions.has(permission);
  }

  // `isLook`: it was only looked at, and the next look may end the trouble by itself.
  failed = (error, { isLook = false } = {}) => {
    if (error instanceof SignedOut) return this.#showSignIn();
    this.#isLook = isLook;
    return showTrouble(error, () => this.#route());
  };

  well() {
    if (this.#isLook) clearTrouble();
  }

  title(words) {
    document.title = `${words} – Paperline`;
  }

  #route() {
    const [place, ...rest] = location.hash.slice(1).split("/");
    const [View, home] = PLACES[place] ?? PLACES.overview;
    this.#shown?.leave();
    clearTrouble();
    for (const link of part("places").children) {
      if (link.hash === `#${home}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    this.#shown = new View(this, decoded(rest.join("/")));
    document.body.dataset.place = place || "overview";
    this.title(this.#shown.name);
    fill(part("view"), this.#shown.element);
    scrollTo(0, 0);
    this.#shown.element.querySelector("h1")?.focus();
    this.#shown.start();
  }

  #key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    const isChord = performance.now() < this.#chordUntil;
    this.#chordUntil = event.key === "g" && !isChord ? performance.now() + CHORD_MS : 0;
    const act = isChord ? this.#chord(event.key) : this.#single(event.key);
    if (!act) return;
    event.preventDefault();
    act();
  }

  #chord(letter) {
    const found = Object.entries(PLACES).find(([, [, , key]]) => key === letter);
    return found && !part("places").hidden ? () => { location.hash = found[0]; } : null;
  }

  #single(key) {
    return {
      "?": () => showHelp(KEYS),
      "/": () => this.#search(),
      r: () => this.#shown?.again?.(),
    }[key];
  }

  #search() {
    if (location.hash !== "#documents") location.hash = "documents";
    // The place is shown when the address has changed, which is told a moment later.
    setTimeout(() => part("find")?.focus());
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

  #showNothing() {
    fill(part("view"), make("section", { class: "sign-in" },
      make("h1", { tabindex: "-1" }, "Nothing for you here"),
      make("p", {}, "You are signed in, but you may not look at operations. Ask whoever runs Paperline "
        + "for the role viewer (sees everything) or operator (acts too).")));
  }

  #showSignIn() {
    this.#shown?.leave();
    this.#shown = null;
    clearTrouble();
    part("account").hidden = part("places").hidden = true;
    const place = location.hash.slice(1);
    const back = PLACE.test(place) ? `/${place}` : "";
    fill(part("view"), make("section", { id: "sign-in", class: "sign-in", "aria-labelledby": "title" },
      make("h1", { id: "title", tabindex: "-1" }, "Operate Paperline"),
      signInUrl
        ? [make("p", {}, "Sign in once, and every page of Paperline knows you."),
          make("a", { class: "button primary", id: "sign-in-link", href: `${signInUrl}/#console${back}` }, "Sign in")]
        : make("p", {}, "Sign in at the upload page of this host, then come back.")));
    this.title("Operations");
    document.body.dataset.place = "sign-in";
    (part("sign-in-link") ?? part("title")).focus();
  }
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

new Console().begin();
