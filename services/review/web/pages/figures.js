// How the work goes: what is left, how long a decision takes, by whom and over which field.

import { stats } from "./api.js";
import { fill, make, plain } from "./make.js";
import { table } from "./tables.js";
import { seconds, span } from "./words.js";

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
      fill(this.content, shown((await stats()).data));
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
      fields.map((one) => [plain(one.label), one.corrections, seconds(one.median_s), seconds(one.p90_s)])),
  ];
}
