// How the work goes: what is left, how long a decision takes, by whom and over which field, and
// what keeps documents from passing without a person.

import { ask, stats } from "./api.js";
import { fill, make, plain } from "./make.js";
import { percent, seconds, span, titleOf } from "./words.js";

export class Figures {
  constructor(desk) {
    this.desk = desk;
    this.content = make("div", { class: "figures-content", "aria-live": "polite" });
    this.element = make("div", { class: "figures" },
      make("h1", { id: "title", tabindex: "-1" }, "Figures"),
      make("p", { class: "muted" }, "Of the last thirty days. Seconds are those in which a document was in somebody's hands."),
      this.content);
  }

  async start() {
    this.element.querySelector("#title").focus();
    try {
      const [work, why] = await Promise.all([stats(), ask("GET", "/v1/straight-through")]);
      fill(this.content, shown(work.data), passing(why.data));
    } catch (error) {
      this.desk.failed(error);
    }
  }

  leave() {}
}

function shown({ open, overdue, today, oldest_age_s: oldest, all, reviewers, fields }) {
  const tiles = [
    ["Left", open], ["Of it late", overdue], ["Oldest", open ? span(oldest) : "–"],
    ["Done today", today], ["Median", seconds(all?.median_s)], ["9 of 10 within", seconds(all?.p90_s)],
  ];
  return [
    make("dl", { class: "tiles" }, tiles.map(([name, value]) =>
      make("div", { class: "tile" }, make("dt", {}, name), make("dd", {}, String(value))))),
    table("By reviewer", ["Reviewer", "Today", "Decided", "Median", "9 of 10 within"],
      reviewers.map((one) => [plain(one.reviewer), one.today, one.decisions,
        seconds(one.median_s), seconds(one.p90_s)])),
    table("Corrected most", ["Field", "Corrected", "Median", "9 of 10 within"],
      fields.map((one) => [titleOf(one.field), one.corrections, seconds(one.median_s), seconds(one.p90_s)])),
  ];
}

function passing({ passing: { items, automatic, would_pass: would }, threshold, gates }) {
  return table(`Why not without a person: ${automatic} of ${items} passed; ${would} would at ${percent(threshold)}`,
    ["What held them back", "Documents", "It alone"],
    gates.map((one) => [[one.gate.replaceAll("_", " "), one.field && titleOf(one.field)].filter(Boolean).join(": "),
      one.items, one.alone]));
}

function table(title, heads, rows) {
  if (!rows.length) return null;
  return make("section", { class: "card" }, make("h2", {}, title),
    make("table", { class: "plain-table" },
      make("thead", {}, make("tr", {}, heads.map((one) => make("th", { scope: "col" }, one)))),
      make("tbody", {}, rows.map(([first, ...rest]) => make("tr", {},
        make("th", { scope: "row" }, first),
        rest.map((one) => make("td", { class: "number" }, String(one ?? "–"))))))));
}
