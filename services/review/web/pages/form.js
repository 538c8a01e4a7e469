// The form in the order of the document: single fields, a little apart where they are about
// something else, then taxes and lines. It knows which field is the current one, which comes
// next, and which still need a look.

import { Field } from "./field.js";
import { fill, make } from "./make.js";
import { Lines, lineOf } from "./lines.js";

const TOTALS = new Set(["subtotal", "tax_total", "total", "amount_due", "prepaid", "rounding",
  "discount_total", "charge_total", "shipping", "allowance_total"]);

export class Form {
  current = null;
  // Rows and fields are taken out and put in: nobody leaves one by that.
  isMoving = false;

  constructor(listener) {
    this.listener = listener;
    this.fields = new Map();
    this.sections = make("div", { class: "sections" });
    this.taxes = new Lines("taxes", listener, (path) => this.textOf(path));
    this.lines = new Lines("lines", listener, (path) => this.textOf(path));
    this.element = make("div", { class: "form", role: "group", "aria-label": "What was read" },
      this.sections, this.taxes.element, this.lines.element);
  }

  // `isPending`: said and on its way; what the server knows of that is older.
  show(fields, isReadOnly, isPending) {
    const place = this.#place();
    this.isMoving = true;
    const single = fields.filter((field) => !lineOf(field.path));
    const order = single.map((field) => field.path).join();
    const isMoved = order !== [...this.fields.keys()].join();
    this.#showSingle(single, isPending, isMoved);
    const isNew = [this.taxes, this.lines].map((one) => one.show(fields, isPending)).some(Boolean);
    this.isMoving = false;
    if (isMoved || isNew) this.#findAgain(place);
    for (const entry of this.entries()) entry.input.readOnly = isReadOnly;
    this.element.classList.toggle("read-only", isReadOnly);
  }

  // What is there already stays what it is, with what is being typed in it.
  #showSingle(single, isPending, isMoved) {
    const known = this.fields;
    this.fields = new Map(single.map((field) =>
      [field.path, known.get(field.path) ?? new Field(field, this.listener)]));
    for (const field of single) {
      if (known.has(field.path)) known.get(field.path).entry.show(field, isPending(field.path));
    }
    if (!isMoved) return;
    const sections = [];
    for (const [path, shown] of this.fields) {
      const name = sectionOf(path);
      if (sections.at(-1)?.name !== name) sections.push({ name, fields: [] });
      sections.at(-1).fields.push(shown.element);
    }
    fill(this.sections, sections.map((one) => make("div", { class: "section" }, one.fields)));
  }

  // Where the person is, and what is selected there.
  #place() {
    const { activeElement: input } = document;
    if (!this.current || input !== this.current.input) return { path: this.current?.path };
    return { path: this.current.path, from: input.selectionStart, to: input.selectionEnd };
  }

  #findAgain({ path, from, to }) {
    if (!path) return;
    this.current = this.entry(path) ?? null;
    if (from === undefined) return;
    const entry = this.current ?? this.firstDoubtful();
    entry?.focus();
    if (entry?.path === path) entry.input.setSelectionRange(from, to);
  }

  entries() {
    return [
      ...[...this.fields.values()].map((field) => field.entry),
      ...inRows(this.taxes), ...inRows(this.lines),
    ];
  }

  entry(path) {
    return this.entries().find((one) => one.path === path);
  }

  textOf(path) {
    return this.fields.get(path)?.entry.text;
  }

  doubtful() {
    return this.entries().filter((one) => one.isDoubtful);
  }

  firstDoubtful() {
    return this.doubtful()[0];
  }

  // The next that needs a look, from the beginning again after the last; none when all is said.
  nextDoubtful(from, step = 1) {
    const all = this.entries();
    const at = all.indexOf(from);
    const order = [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))];
    return (step > 0 ? order : order.reverse()).find((one) => one.isDoubtful && one !== from);
  }

  // Every field: the arrow keys. In a grid up and down stay in their column.
  neighbour(from, step) {
    const { lines, at, name } = from.cell ?? {};
    const inColumn = lines?.at(at + step, name);
    if (inColumn) return inColumn;
    const all = this.entries();
    if (!lines) return all[all.indexOf(from) + step];
    const own = all.filter((one) => one.cell?.lines === lines);
    return step > 0 ? all[all.indexOf(own.at(-1)) + 1] : all[all.indexOf(own[0]) - 1];
  }
}

function inRows(lines) {
  const place = (one) => one.cell.at * 100 + lines.columns.indexOf(one.cell.name);
  return [...lines.entries].sort((one, other) => place(one) - place(other));
}

function sectionOf(path) {
  const [first, ...rest] = path.split(".");
  if (rest.length && first !== "document") return first;
  return TOTALS.has(path) ? "totals" : "invoice";
}
