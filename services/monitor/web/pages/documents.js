// Find a document by its id, by how its file's name begins, or by the SHA-256 of its bytes. What is
// searched for may name people, so it stays out of the address.

import * as api from "./api.js";
import { fill, make, plain } from "./make.js";
import { say } from "./notices.js";
import { rows } from "./rows.js";
import { STATUSES, ago, badgeOf, moment } from "./words.js";

const SEARCH_MS = 250;
const CHARS_MIN = 3;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export class Documents {
  #asked = 0;
  #timer = null;
  name = "Documents";

  constructor(home) {
    this.home = home;
    this.input = make("input", { type: "search", id: "find", autocomplete: "off", spellcheck: "false", maxlength: 300,
      placeholder: "Id, file name, SHA-256", "aria-describedby": "find-help", on: { input: () => this.#typed() } });
    this.found = make("div", { id: "found", "aria-live": "polite" });
    this.element = make("div", { class: "page" }, make("h1", { id: "title", tabindex: "-1" }, "Documents"),
      make("form", { role: "search", on: { submit: (event) => this.#submitted(event) } },
        make("label", { for: "find" }, "Find a document"),
        make("p", { class: "muted help", id: "find-help" }, "By its id, by how its file's name begins, or by the SHA-256 of its bytes."),
        make("div", { class: "line" }, this.input, make("button", { type: "submit", class: "primary small" }, "Find"))),
      this.found);
  }

  start() {
    this.input.focus();
  }

  again() {
    return this.#find();
  }

  leave() {
    this.#asked += 1;
    clearTimeout(this.#timer);
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#find(), SEARCH_MS);
  }

  // Whoever pastes a whole id wants that document.
  #submitted(event) {
    event.preventDefault();
    const text = this.input.value.trim();
    if (UUID.test(text)) location.hash = `document/${text.toLowerCase()}`;
    else this.#find();
  }

  async #find() {
    clearTimeout(this.#timer);
    const text = this.input.value.trim();
    const turn = this.#asked += 1;
    if (text.length < CHARS_MIN) return fill(this.found, text ? make("p", { class: "muted" }, "At least three characters.") : null);
    try {
      const { documents } = await api.documents(text);
      if (turn !== this.#asked) return undefined;
      this.home.well();
      say(documents.length ? `${documents.length} found.` : "Nothing found.");
      return fill(this.found, documents.length ? documentRows(documents)
        : make("p", {}, "Nothing found. A name is searched by its beginning; a document that is older than the kept facts, by its id in the results."));
    } catch (error) {
      return turn === this.#asked ? this.home.failed(error) : undefined;
    }
  }
}

function documentRows(documents) {
  return rows("Documents, the latest first", ["File", "Status", "Accepted", "Moved", "Owner"], documents.map((one) => ({
    given: { "data-document": one.document_id }, cells: [
      [make("a", { href: `#document/${one.document_id}`, class: "row-link" }, plain(one.filename) || "Without a name"),
        make("code", { class: "muted message" }, one.document_id)],
      badgeOf(STATUSES, one.status), moment(one.accepted_at), ago(one.moved_at), plain(one.owner_id),
    ] })), { "data-list": "documents" });
}
