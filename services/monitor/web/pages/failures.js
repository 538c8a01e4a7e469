// What failed for good, taken together by its cause: the largest group first.

import * as api from "./api.js";
import { Fresh, refill } from "./fresh.js";
import { draw, make, plain } from "./make.js";
import { meaningOf } from "./reasons.js";
import { good, rows } from "./rows.js";
import { ago, badge, groupPlace, number, titleOfQueue } from "./words.js";

export class Failures {
  name = "Failures";

  constructor(home) {
    this.content = make("div", {});
    this.element = make("div", { class: "page" },
      make("h1", { id: "title", tabindex: "-1" }, "Failures"),
      make("p", { class: "muted" }, "Messages that were given up, each kept whole, taken together by their cause."),
      this.content);
    this.fresh = new Fresh(home, () => this.#load());
  }

  start() {
    return this.fresh.start();
  }

  again() {
    return this.fresh.now();
  }

  leave() {
    this.fresh.stop();
  }

  async #load() {
    const { groups } = await api.groups();
    const letters = groups.reduce((sum, one) => sum + one.letters, 0);
    return () => refill(this.content, groups.length
      ? [make("p", {}, `${number(letters)} in ${groups.length === 1 ? "one group" : `${groups.length} groups`}.`), groupRows(groups)]
      : good("Nothing has failed for good. Every message was dealt with, or is on its way."));
  }
}

// `isBrief`: beside other things, without the stage.
export function groupRows(groups, { isBrief = false } = {}) {
  return rows("Failure groups, the largest first", ["Cause", ...isBrief ? [] : ["Stage"], ["Letters", "number"], "Last day", "Newest"],
    groups.map((one) => ({ given: { "data-group": one.fingerprint }, cells: [
      [make("a", { href: groupPlace(one.fingerprint), class: "row-link" }, meaningOf(one.reason).what),
        one.muted ? badge(["Muted", ""]) : null,
        make("span", { class: "muted message" }, plain(one.message)),
        one.said.comment ? make("span", { class: "note" }, `“${plain(one.said.comment)}”`) : null],
      ...isBrief ? [] : [titleOfQueue(one.queue)], number(one.letters), sparkline(one.trend), ago(one.last_at),
    ] })), { "data-list": "groups" });
}

const HOURS = 24;
const HOUR_MS = 3_600_000;
// Of the picture.
const STEP = 4, HIGH = 22;

// How many came in each hour of the last day; in words for who sees no picture.
export function sparkline(trend) {
  const now = Math.floor(Date.now() / HOUR_MS);
  const by = Array(HOURS).fill(0);
  for (const { hour, letters } of trend) {
    const at = HOURS - 1 - (now - Math.floor(Date.parse(hour) / HOUR_MS));
    if (at >= 0 && at < HOURS) by[at] += letters;
  }
  const most = Math.max(1, ...by);
  const total = by.reduce((sum, one) => sum + one, 0);
  return draw("svg", { viewBox: `0 0 ${HOURS * STEP} ${HIGH}`, class: "spark", role: "img",
    "aria-label": `${number(total)} in the last 24 hours, ${number(by.at(-1))} in this hour` },
  by.map((one, at) => {
    const height = one ? Math.max(2, Math.round(HIGH * one / most)) : 1;
    return draw("rect", { x: at * STEP, y: HIGH - height, width: STEP - 1, height, class: one ? "some" : "none" });
  }));
}
