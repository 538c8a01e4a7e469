// How far the machine can be trusted by what people made of it, and what keeps documents from
// passing without a person. It changes nothing: what it would be at another threshold is asked.

import { ask } from "./api.js";
import { curveOf } from "./curve.js";
import { fill, make, plain } from "./make.js";
import { say } from "./notices.js";
import { table } from "./tables.js";
import { count, percent, titleOf } from "./words.js";

const ASK_MS = 200;
const DAYS = [[7, "a week"], [30, "a month"], [90, "three months"], [365, "a year"]];
const GATES = {
  unsure: "Not sure enough", missing: "Missing", blocked: "Something blocks", duplicate: "Handed in before",
  degraded: "An engine was away", read_anew: "Read anew", sampled: "Drawn for the sample",
};

export class Trust {
  #asked = 0;
  #timer = null;
  // Unset: the one that is configured.
  #threshold = null;

  constructor(desk) {
    this.desk = desk;
    this.days = make("select", { id: "days", on: { change: () => this.#load() } },
      DAYS.map(([days, words]) => make("option", { value: String(days), selected: days === 30 }, words)));
    this.range = make("input", { type: "range", id: "threshold", min: "0.5", max: "1", step: "0.01",
      "aria-describedby": "what-if", on: { input: () => this.#moved() } });
    this.shown = make("output", { for: "threshold", class: "threshold" });
    this.whatIf = make("p", { id: "what-if" });
    this.gates = make("div", {});
    this.calibration = make("div", {});
    this.element = make("div", { class: "figures" },
      make("h1", { id: "title", tabindex: "-1" }, "Without a person"),
      make("p", { class: "line" },
        make("label", { for: "days", class: "inline" }, "What came in and was decided within"), this.days),
      make("section", { class: "card", "aria-labelledby": "what-if-title" },
        make("h2", { id: "what-if-title" }, "What would pass"),
        make("div", { class: "what-if" },
          make("label", { for: "threshold", class: "inline" }, "If every field that counts had to be as sure as"),
          this.range, this.shown),
        this.whatIf),
      this.gates, this.calibration);
  }

  async start() {
    this.element.querySelector("#title").focus();
    await this.#load();
  }

  leave() {
    this.#asked += 1;
    clearTimeout(this.#timer);
  }

  #moved() {
    this.#threshold = Number(this.range.value);
    this.#showThreshold();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#load(true), ASK_MS);
  }

  #showThreshold() {
    this.shown.textContent = percent(this.#threshold);
    this.range.setAttribute("aria-valuetext", percent(this.#threshold));
  }

  // `isOther`: the same days at another threshold; how right the machine was is no other by that.
  async #load(isOther = false) {
    const turn = this.#asked += 1;
    const days = this.days.value;
    try {
      const [why, how] = await Promise.all([
        ask("GET", `/v1/straight-through?${given({ days, threshold: this.#threshold })}`),
        isOther ? null : ask("GET", `/v1/calibration?${given({ days })}`),
      ]);
      if (turn !== this.#asked) return;
      this.#showPassing(why.data, isOther);
      if (how) this.#showCalibration(how.data);
    } catch (error) {
      if (turn === this.#asked) this.desk.failed(error);
    }
  }

  #showPassing({ enabled, threshold, passing, gates }, isOther) {
    if (this.#threshold === null) {
      this.#threshold = threshold;
      this.range.value = String(threshold);
      this.#showThreshold();
    }
    const { items, automatic, would_pass: would, decided, changed } = passing;
    const made = decided ? ` People decided ${decided} of those, and changed or rejected ${changed}.` : "";
    this.whatIf.textContent = items
      ? `${would} of ${count(items, "document", "documents")} would have needed nobody (${percent(would / items)}).${made} `
        + (enabled ? `${automatic} did.` : "It is switched off: all of them went to people.")
      : "Nothing came in.";
    if (isOther) return say(this.whatIf.textContent);
    return fill(this.gates, table("What held them back", ["Because", "Documents", "It alone"],
      gates.map((one) => [[GATES[one.gate] ?? titleOf(one.gate), one.label && plain(one.label)].filter(Boolean).join(": "),
        one.items, one.alone])));
  }

  #showCalibration({ values, error, bins, curve }) {
    if (!values) {
      return fill(this.calibration, make("section", { class: "card" },
        make("h2", {}, "How right it was"), make("p", { class: "muted" }, "Nobody has decided anything in that time.")));
    }
    return fill(this.calibration,
      make("section", { class: "card", "aria-labelledby": "curve-title" },
        make("h2", { id: "curve-title" }, "How right it was when it was how sure"),
        make("p", { class: "muted" }, `Of ${count(values, "value", "values")} that people looked at. Sureness and truth lie `
          + `${percent(error)} apart on average; on the diagonal they would be the same.`),
        curveOf(bins)),
      table("In numbers", ["About so sure", "Values", "Were right"],
        bins.map((one) => [percent(one.confidence), one.values, percent(one.right / one.values)])),
      table("If only the surest were taken", ["At least so sure", "Of all values", "Of these right"],
        curve.map((one) => [percent(one.threshold), percent(one.coverage), percent(one.accuracy)])));
  }
}

function given(asked) {
  return new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== null));
}
