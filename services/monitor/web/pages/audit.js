// Who did what, when and why at the monitor: every look at a payload, every replay, every refusal.
// The chain can be proven, and the whole log taken away.

import * as api from "./api.js";
import { button, fill, make, plain } from "./make.js";
import { good, rows } from "./rows.js";
import { badge, moment, number } from "./words.js";

const PAGE = 50;
const FILTERS = [["actor", "Who"], ["action", "Did what"], ["resource", "To what"]];
const HOMES = { "dead-letter": "letter", operation: "operation", "failure-group": "group" };

export class Audit {
  #cursor = null;
  #asked = 0;
  name = "Audit";

  constructor(home) {
    this.home = home;
    this.inputs = FILTERS.map(([name, words]) => make("input", { type: "search", id: `audit-${name}`, name, maxlength: 300, autocomplete: "off",
      placeholder: words, "aria-label": words }));
    this.list = make("div", {});
    this.more = button("Show more", () => this.#load(true), { hidden: true });
    this.proof = make("p", { id: "audit-proof", role: "status", "aria-live": "polite" });
    this.element = make("div", { class: "page" }, make("h1", { id: "title", tabindex: "-1" }, "Audit"),
      make("p", { class: "muted" }, "Every deed at the monitor, newest first, each chained to the one before."),
      home.may("audit:all:read") ? make("p", { class: "acts" }, button("Verify the chain", () => this.#verify(), { kind: "primary small", "data-act": "verify" }),
        make("a", { class: "button quiet small", href: api.AUDIT_EXPORT, download: "audit.jsonl" }, "Export all (JSON Lines)")) : null,
      this.proof,
      make("form", { class: "filters", on: { submit: (event) => this.#submitted(event) } }, this.inputs,
        make("button", { type: "submit", class: "quiet small" }, "Filter")),
      this.list, make("p", { class: "more" }, this.more));
  }

  start() {
    return this.#load();
  }

  again() {
    return this.#load();
  }

  leave() {
    this.#asked += 1;
  }

  #submitted(event) {
    event.preventDefault();
    this.#load();
  }

  async #load(isMore = false) {
    const turn = this.#asked += 1;
    const given = Object.fromEntries(this.inputs.map((one) => [one.name, one.value.trim()]));
    // As the list says it, and as it is kept.
    given.action = given.action.replaceAll(" ", "_");
    try {
      const { items, next } = await api.audit({ ...given, limit: PAGE, cursor: isMore ? this.#cursor : null });
      if (turn !== this.#asked) return;
      this.home.well();
      this.#cursor = next;
      this.more.hidden = !next;
      const shown = items.length ? auditRows(items) : good("Nothing is on record here.");
      if (isMore) this.list.append(shown);
      else fill(this.list, shown);
    } catch (error) {
      if (turn === this.#asked) this.home.failed(error);
    }
  }

  async #verify() {
    this.proof.textContent = "Following the chain…";
    try {
      const { intact, head, broken } = await api.verifyAudit();
      fill(this.proof, badge(intact ? ["Intact", "good"] : ["Broken", "bad"]), intact
        ? ` ${number(head.seq)} lines, each as it was written. Keep its head elsewhere: ` : ` Line ${number(broken.seq)}: ${plain(broken.why)}. `,
      make("code", { class: "message" }, head.hash));
    } catch (error) {
      fill(this.proof);
      this.home.failed(error);
    }
  }
}

function auditRows(items) {
  return rows("Deeds, newest first", [["#", "number"], "When", "Who", "Did what", "To what", "Why"], items.map((one) => ({
    given: { "data-seq": one.seq }, cells: [number(one.seq), moment(one.at), plain(one.actor), plain(one.action).replaceAll("_", " "),
      resourceOf(one.resource), [one.reason ? make("span", { class: "message" }, plain(one.reason)) : null, changeOf(one)]] })), { "data-list": "audit" });
}

function resourceOf(resource) {
  const [kind, ...rest] = resource.split("/");
  const words = make("code", { class: "message" }, plain(resource));
  return HOMES[kind] && rest.length ? make("a", { href: `#${HOMES[kind]}/${encodeURIComponent(rest.join("/"))}` }, words) : words;
}

function changeOf({ before, after }) {
  if (before === null && after === null) return null;
  return make("details", {}, make("summary", {}, "What changed"), [["Before", before], ["After", after]].filter(([, told]) => told !== null)
    .map(([name, told]) => make("p", { class: "message" }, `${name}: `, make("code", {}, plain(JSON.stringify(told))))));
}
