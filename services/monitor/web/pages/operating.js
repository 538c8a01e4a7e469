// Ask for an operation over many letters: first a dry run, that says what would be found and what
// to beware of; only then the real thing, which means the letters that the dry run saw.

import * as api from "./api.js";
import { fill, make, plain } from "./make.js";
import { say } from "./notices.js";
import { rows } from "./rows.js";
import { short } from "./letters.js";
import { told } from "./trouble.js";
import { letterCount, number, titleOfQueue } from "./words.js";

const WORDS = {
  replay: ["Replay", "Each goes back to the queue where it failed, as the first attempt of a new run. What is done already stays done."],
  archive: ["Archive", "They are kept, and count as dealt with. They can be taken out of the archive again."],
  unarchive: ["Take out of the archive", "They are open again."],
  purge: ["Purge", "They are gone for good, with what was in them."],
};
const PACE = [
  ["rate_per_s", "Letters per second", 5, 0.1, 5000, "any", "Slowly at first: whatever failed may fail again."],
  ["canary", "First alone (canary)", 0, 0, 10_000, 1, "So many go first; then it pauses for you to look. 0: none."],
  ["in_flight_max", "On their way at once, at most", 100, 1, 100_000, 1, ""],
];
const HEADS = ["Stage", "Reason", ["Letters", "number"], ["Cannot go", "number"], ["Ended since", "number"]];

let made = 0;

// `selector`: which letters, as the API takes it. `about`: the same for the person.
export function operate({ kind, selector, about }) {
  new Asking(kind, selector, about).open();
}

class Asking {
  #seen = null;
  // Asked twice by a click or a lost answer, it runs once.
  #key = api.newKey();

  constructor(kind, selector, about) {
    made += 1;
    this.kind = kind;
    this.selector = selector;
    const [verb, means] = WORDS[kind];
    this.verb = verb;
    this.id = (name) => `operate-${made}-${name}`;
    this.reason = make("textarea", { id: this.id("reason"), name: "reason", rows: 2, maxlength: 1000, "aria-describedby": this.id("why") });
    this.pace = kind === "replay" ? PACE.map((one) => [one, paceInput(one, this.id(one[0]))]) : [];
    this.sure = kind === "purge" ? make("input", { id: this.id("sure"), inputmode: "numeric", autocomplete: "off" }) : null;
    this.found = make("div", { class: "found", id: this.id("found"), "aria-live": "polite" });
    this.error = make("p", { class: "error", role: "alert" });
    this.dry = make("button", { type: "button", class: "primary small", "data-act": "dry-run", on: { click: () => this.#look() } }, "Dry run");
    this.real = make("button", { type: "submit", class: `small ${kind === "purge" ? "danger" : "primary"}`, disabled: true, "data-act": "start" }, verb);
    this.form = make("form", { method: "dialog", novalidate: true, on: { submit: (event) => this.#start(event) } },
      make("h2", { id: this.id("title") }, `${verb}: look first`),
      make("p", {}, about), make("p", { class: "muted" }, means),
      make("label", { for: this.reason.id }, "Reason"),
      make("p", { class: "muted help", id: this.id("why") }, "Why it should be done now. It stays on record."), this.reason,
      this.pace.length ? make("div", { class: "pace" }, this.pace.map(([[, label, , , , , help], input]) => make("div", {},
        make("label", { for: input.id }, label), help ? make("p", { class: "muted help", id: `${input.id}-help` }, help) : null, input))) : null,
      this.found,
      this.sure ? make("div", {}, make("label", { for: this.sure.id }, "To be sure, type how many letters it is"), this.sure) : null,
      this.error,
      make("div", { class: "dialog-acts" },
        make("button", { type: "button", class: "quiet small", on: { click: () => this.dialog.close() } }, "Cancel"), this.dry, this.real));
    this.dialog = make("dialog", { class: "wide operate", "aria-labelledby": this.id("title") }, this.form);
    this.dialog.addEventListener("close", () => this.dialog.remove());
  }

  open() {
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.reason.focus();
  }

  get #wish() {
    return { kind: this.kind, selector: this.selector, reason: this.reason.value.trim(),
      ...Object.fromEntries(this.pace.map(([[name], input]) => [name, Number(input.value)])) };
  }

  #isReady() {
    const wrong = this.#wrong();
    fill(this.error, wrong?.[0]);
    wrong?.[1].setAttribute("aria-invalid", "true");
    wrong?.[1].focus();
    return !wrong;
  }

  #wrong() {
    for (const one of [this.reason, ...this.pace.map(([, input]) => input)]) one.removeAttribute("aria-invalid");
    if (!this.reason.value.trim()) return ["Reason is missing.", this.reason];
    const bad = this.pace.find(([, input]) => input.value === "" || !input.checkValidity());
    return bad ? [`${bad[0][1]}: from ${bad[0][3]} to ${number(bad[0][4])}.`, bad[1]] : null;
  }

  async #look() {
    if (!this.#isReady()) return;
    this.dry.disabled = true;
    try {
      this.#seen = await api.preview(this.#wish);
      this.#showFound(this.#seen);
    } catch (error) {
      fill(this.error, told(error));
    } finally {
      this.dry.disabled = false;
    }
  }

  #showFound({ letters, by, warnings, sample }) {
    say(`The dry run found ${letterCount(letters)}.`);
    fill(this.found,
      make("p", { class: "found-sum", "data-found": letters }, make("strong", {}, `${letterCount(letters)} found.`),
        letters ? " Nothing was done yet." : " There is nothing to do."),
      warnings.map((one) => make("p", { class: "warning" }, plain(one))),
      by.length ? rows("What was found", HEADS, by.map((one) => [titleOfQueue(one.queue), make("code", {}, plain(one.reason)),
        number(one.letters), number(one.unreplayable), number(one.already_ended)])) : null,
      sample.length ? make("details", {}, make("summary", {}, `Some of them (${sample.length})`), sampleRows(sample)) : null);
    this.real.disabled = letters === 0;
    this.real.textContent = `${this.verb} ${letterCount(letters)}`;
    this.dry.className = "quiet small";
    this.dry.textContent = "Dry run again";
    if (letters) (this.sure ?? this.real).focus();
  }

  async #start(event) {
    event.preventDefault();
    // Enter in a field asks for what comes next.
    if (this.#seen === null) return this.#look();
    if (!this.#isReady() || this.real.disabled) return;
    if (this.sure && this.sure.value.trim() !== String(this.#seen.letters)) {
      fill(this.error, `Type ${this.#seen.letters}, if that is what you mean.`);
      return this.sure.focus();
    }
    this.real.disabled = true;
    try {
      const operation = await api.operate({ ...this.#wish, snapshot_before: this.#seen.snapshot_before }, this.#key);
      this.dialog.close();
      location.hash = `operation/${operation.operation_id}`;
    } catch (error) {
      this.real.disabled = false;
      // What was refused is asked for anew; of what got no answer nobody knows, so it keeps its key.
      if (error instanceof api.Refused) this.#key = api.newKey();
      fill(this.error, told(error));
      for (const link of this.error.querySelectorAll("a")) link.addEventListener("click", () => this.dialog.close());
    }
  }
}

function paceInput([name, , value, min, max, step, help], id) {
  return make("input", { type: "number", id, name, value: String(value), min, max, step, required: true,
    "aria-describedby": help ? `${id}-help` : null });
}

function sampleRows(sample) {
  return rows("Some of them", ["Letter", "Message", "Attempts"], sample.map((one) => [make("code", {}, short(one.letter_id)),
    make("span", { class: "message" }, plain(one.message)), number(one.attempts)]));
}
