// One field of the form: name, value, state, and below it why it has to be looked at and what
// else it may be.

import { Entry, stateMark } from "./entry.js";
import { button, fill, make, plain } from "./make.js";
import { sourceOf, told } from "./words.js";

export const PICKS = 3;

export class Field {
  constructor(field, listener) {
    this.name = make("span", { class: "field-name-text" });
    this.state = make("span", { class: "field-state" });
    this.reasons = make("ul", { class: "reasons" });
    this.picks = make("div", { class: "picks", role: "group" });
    this.element = make("div", { class: "field", tabindex: "-1", "data-field": field.path });
    this.entry = new Entry(field, { ...listener, changed: () => this.#show() });
    const { id, input } = this.entry;
    this.state.id = `${id}-state`;
    this.reasons.id = `${id}-why`;
    input.setAttribute("aria-describedby", `${id}-state ${id}-why`);
    this.element.append(
      make("label", { class: "field-name", for: id }, this.name),
      make("div", { class: "field-value" }, input, this.state),
      make("div", { class: "field-more" }, this.reasons, this.picks),
    );
    this.listener = listener;
    this.#show();
  }

  #show() {
    // While the entry is made it has nobody to tell yet.
    if (!this.entry) return;
    const { entry } = this;
    fill(this.name, entry.label, entry.field.required
      ? make("span", { class: "must", title: "Needed for approval" }, " *") : null);
    fill(this.state, stateMark(entry));
    this.element.className = `field ${entry.state.kind}${entry.isDoubtful ? " doubtful" : ""}`;
    const why = entry.error ? [entry.error] : entry.isSettling ? [] : this.#why();
    fill(this.reasons, why.map((one) => make("li", {}, told(one))));
    this.#showPicks();
  }

  #why() {
    const { field } = this.entry;
    if (field.state === "human_confirmed" || field.state === "auto_confirmed") {
      return field.locked && field.machine_value != null && field.machine_value !== field.value
        ? [`The machine read “${plain(field.machine_value)}”.`] : [];
    }
    return field.reasons ?? [];
  }

  #showPicks() {
    const { entry } = this;
    const candidates = entry.isDoubtful ? others(entry.field) : [];
    this.picks.setAttribute("aria-label", `What ${entry.label} may be`);
    fill(this.picks, candidates.map((one, at) => button([
      make("kbd", {}, String(at + 1)),
      make("span", { class: "pick-value" }, plain(one.value)),
      make("span", { class: "pick-source" }, plain(sourceOf(one))),
    ], () => this.listener.picked(entry, at), { kind: "pick", tabindex: "-1" })));
  }
}

// The few that number keys can pick.
export function others(field) {
  return (field.candidates ?? []).filter((one) => one.value != null).slice(0, PICKS);
}
