// The queue: what waits, in the order in which it should be done, and for each why. Filters are
// part of the address; what is searched for is not, since it may name people.

import { Refused, act, list } from "./api.js";
import { askWhom, givenTo } from "./giving.js";
import { dueMark } from "./heading.js";
import { bar, button, fill, make, plain } from "./make.js";
import { toast } from "./notices.js";
import { isSomebodyThere } from "./presence.js";
import { STATUSES, percent, since } from "./words.js";

const FILTERS = {
  all: ["All", { status: "open" }],
  mine: ["Mine", { status: "open", assignee: "me" }],
  unassigned: ["Unassigned", { status: "open", assignee: "none" }],
  late: ["Late", { status: "open", sla: "late" }],
  decided: ["Decided", null],
};
const GIVEN = new Set(["pending", "in_review"]);
const DECIDED = ["approved", "corrected", "rejected"];
const PAGE = 50;
const SEARCH_MS = 250;
// Others work too: what the list shows is not to be old for long.
const AGAIN_MS = 20_000;

export class Queue {
  #cursor = null;
  #asked = 0;
  #timer = null;
  #again = null;

  constructor(desk, filter) {
    this.desk = desk;
    this.filter = FILTERS[filter] ? filter : "all";
    this.search = make("input", {
      type: "search", id: "search", placeholder: "Vendor, number, file", autocomplete: "off",
      "aria-label": "Search", on: { input: () => this.#searched() },
    });
    this.status = make("select", { id: "status", "aria-label": "How it was decided", hidden: this.filter !== "decided",
      on: { change: () => this.load() } }, DECIDED.map((one) => make("option", { value: one }, STATUSES[one][0])));
    this.body = make("tbody", {});
    this.none = make("div", { class: "empty", hidden: true });
    this.more = button("Show more", () => this.load(true), { hidden: true });
    this.element = make("div", { class: "queue" },
      make("div", { class: "queue-head" },
        make("h1", { id: "title", tabindex: "-1" }, "Queue"),
        button("Start reviewing", () => desk.next(), { kind: "primary start", id: "start" })),
      make("div", { class: "filters" },
        make("nav", { class: "tabs", "aria-label": "Filter" }, Object.entries(FILTERS).map(([name, [words]]) =>
          make("a", { href: `#queue/${name}`, "aria-current": name === this.filter ? "true" : null }, words))),
        this.status, this.search),
      make("div", { class: "table-wide" }, make("table", { class: "items" },
        make("caption", { class: "unseen" }, "Documents, the most urgent first"),
        make("thead", {}, make("tr", {}, ["Rank", "Document", "Due", "Why", "With"].map((one) =>
          make("th", { scope: "col" }, one)))),
        this.body)),
      this.none, make("p", { class: "more" }, this.more));
  }

  start() {
    this.element.querySelector("#title").focus();
    this.#again = setInterval(() => {
      // Whoever has asked for more, or stands in a row, would lose their place.
      const isBusy = this.body.children.length > PAGE || this.body.contains(document.activeElement);
      if (isSomebodyThere() && !isBusy) this.load();
    }, AGAIN_MS);
    return this.load();
  }

  leave() {
    // What is still on its way is for nobody.
    this.#asked += 1;
    clearTimeout(this.#timer);
    clearInterval(this.#again);
  }

  async load(isMore = false) {
    const turn = this.#asked += 1;
    const chosen = FILTERS[this.filter][1] ?? { status: this.status.value };
    const given = { ...chosen, q: this.search.value.trim(), limit: PAGE, cursor: isMore ? this.#cursor : null };
    try {
      const { data } = await list(given);
      if (turn !== this.#asked) return;
      this.desk.warn("");
      this.#cursor = data.next;
      const rows = data.items.map((one) => this.#row(one));
      if (isMore) this.body.append(...rows);
      else fill(this.body, rows);
      this.more.hidden = !data.next;
      this.#showNone();
    } catch (error) {
      if (turn === this.#asked) this.desk.failed(error);
    }
  }

  #showNone() {
    this.none.hidden = this.body.children.length > 0;
    fill(this.none, make("p", { class: "empty-title" }, this.search.value ? "Nothing found."
      : this.filter === "all" ? "Nothing waits. All done." : "Nothing here."));
  }

  #row(one) {
    const [status, kind] = STATUSES[one.status] ?? [one.status, ""];
    const score = one.rank?.score;
    const holder = one.claimed_by ?? one.assigned_to ?? one.decided_by;
    const name = plain(one.filename) || "Without a name";
    return make("tr", {},
      make("td", { class: "score" }, score == null ? "–" : make("span", { title: partsOf(one.rank) },
        bar(score / 100), String(Math.round(score)))),
      make("td", { class: "doc" },
        make("a", { href: `#item/${one.document_id}`, class: "doc-name", title: name }, name),
        make("span", { class: "muted" }, `arrived ${since(one.accepted_at)}`)),
      make("td", {}, dueMark(one) ?? make("span", { class: "muted" }, "–")),
      make("td", { class: "reasons-why" }, (one.rank?.why ?? [`${percent(one.confidence)} sure`])
        .map((why) => make("span", { class: "chip" }, plain(why)))),
      make("td", {}, holder ? make("span", { class: "holder" }, plain(holder)) : null,
        make("span", { class: `badge ${kind}` }, status), this.#giving(one, name)));
  }

  #giving(one, name) {
    if (!GIVEN.has(one.status) || !this.desk.may("review:items:assign")) return null;
    return button("Give…", () => this.#give(one, name),
      { kind: "quiet small give", "aria-label": `Give ${name} to somebody` });
  }

  async #give({ document_id: id, level }, name) {
    try {
      const body = await askWhom({ level, giver: this.desk.owner });
      if (!body) return;
      await act(id, "assign", { body });
      toast(`${name} ${givenTo(body)}.`);
    } catch (error) {
      if (!(error instanceof Refused)) return this.desk.failed(error);
      // Decided meanwhile: the list says so then.
      toast(error.message, { kind: "bad" });
    }
    await this.load();
  }

  #searched() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.load(), SEARCH_MS);
  }
}

function partsOf({ doubt, sla, complexity, value }) {
  const round = (number) => Math.round(number ?? 0);
  return `doubt ${round(doubt)} + due ${round(sla)} + complexity ${round(complexity)} + value ${round(value)}`;
}
