// One value that a person may change: an input with what the machine read, what the person
// typed, and whether it still needs a look. How it is laid out is for whoever shows it.

import { icon, make, plain } from "./make.js";
import { STATES, titleOf } from "./words.js";

const NUMBERS = new Set(["money", "number", "percent", "rate", "quantity"]);
let made = 0;

export class Entry {
  // Filled from the page: where the person saw it.
  evidence = null;
  // Sent and not yet answered: shown as done, so that nobody waits.
  isSettling = false;
  #error = "";

  constructor(field, listener) {
    made += 1;
    this.id = `entry-${made}`;
    this.path = field.path;
    this.listener = listener;
    this.input = make("input", {
      id: this.id, type: "text", autocomplete: "off", spellcheck: "false",
      "data-path": field.path, maxlength: 10000,
      on: {
        input: () => this.#typed(),
        focus: () => listener.entered(this),
        blur: () => listener.left(this),
      },
    });
    this.show(field);
  }

  get label() {
    return this.field.label ?? titleOf(this.path);
  }

  get kept() {
    return plain(this.field.value);
  }

  get text() {
    return this.input.value;
  }

  get isDirty() {
    return this.text.trim() !== this.kept;
  }

  get isDoubtful() {
    return Boolean(this.field.doubtful) && !this.isSettling || this.#error !== "";
  }

  get error() {
    return this.#error;
  }

  get state() {
    if (this.#error) return { icon: "cross", words: "Not understood", kind: "bad" };
    if (this.isSettling) return STATES.human_confirmed;
    return STATES[this.field.state] ?? STATES.not_validated;
  }

  // What the server knows now. Whatever is being typed stays.
  show(field, isPending = false) {
    if (isPending) return;
    const wasDirty = this.field !== undefined && this.isDirty && !this.isSettling;
    this.field = field;
    this.isSettling = false;
    if (!wasDirty) {
      this.input.value = this.kept;
      this.evidence = null;
    }
    this.input.inputMode = NUMBERS.has(field.kind) ? "decimal" : "text";
    this.input.classList.toggle("numeric", NUMBERS.has(field.kind));
    this.refresh();
  }

  fill(text, evidence = null) {
    this.input.value = plain(text);
    this.evidence = evidence;
    this.#error = "";
    this.listener.typed(this);
  }

  restore() {
    this.input.value = this.kept;
    this.evidence = null;
    this.#error = "";
    this.refresh();
  }

  settle() {
    this.isSettling = true;
    this.#error = "";
    this.refresh();
  }

  fail(words) {
    this.isSettling = false;
    this.#error = words;
    this.refresh();
  }

  // What changes nothing is no change; an emptied value is cleared.
  change() {
    const value = this.text.trim();
    if (!this.isDirty) return null;
    if (!value) return { op: "clear", path: this.path };
    const seen = this.evidence ? { evidence: [this.evidence] } : {};
    return { op: "set", path: this.path, value, ...seen };
  }

  // What is typed is said; what is shown is confirmed, if it was in doubt. What is missing stays
  // so: there is nothing to say of it yet.
  accepted() {
    const change = this.change();
    if (change) return [change];
    return this.isDoubtful && !this.error && this.kept ? [{ op: "confirm", path: this.path }] : [];
  }

  // Tab stops only where somebody has to look; the arrows go everywhere.
  refresh() {
    this.input.tabIndex = this.isDoubtful ? 0 : -1;
    this.input.toggleAttribute("aria-invalid", false);
    if (this.#error || this.field.state === "rule_failed" && !this.isSettling) {
      this.input.setAttribute("aria-invalid", "true");
    }
    this.input.required = Boolean(this.field.required);
    this.listener.changed(this);
  }

  focus() {
    this.input.focus({ preventScroll: true });
    this.input.select();
    const whole = this.input.closest(".field") ?? this.input;
    whole.scrollIntoView({ block: "nearest" });
  }

  #typed() {
    this.evidence = null;
    this.#error = "";
    this.listener.typed(this);
  }
}

// A state is never only a colour: a sign and words go with it.
export function stateMark(entry) {
  const { icon: sign, words, kind } = entry.state;
  const isLocked = entry.field.locked && !entry.error;
  return make("span", { class: `state ${kind}` }, icon(isLocked ? "lock" : sign), words);
}
