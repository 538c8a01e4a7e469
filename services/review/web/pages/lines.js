// The lines of an invoice as a grid: a row for each, a column for each thing that is said of
// any of them, sums below. Also of the taxes, which look the same and are fewer.

import { Entry } from "./entry.js";
import { button, fill, icon, make, plain } from "./make.js";
import { amount, sum, written } from "./sums.js";
import { titleOf, told } from "./words.js";

const ORDER = [
  "position", "code", "description", "quantity", "unit", "unit_price", "discount.percent",
  "discount.amount", "tax_rate", "net_amount", "tax_amount", "category", "rate", "base", "amount",
];
const WIDE = new Set(["description", "name"]);
const SHORT = {
  position: "Pos.", code: "Item no.", quantity: "Qty", unit_price: "Unit price",
  "discount.percent": "Disc. %", "discount.amount": "Discount", net_amount: "Net",
  tax_amount: "Tax", tax_rate: "Tax %", rate: "Rate %",
};
const SUMMED = new Set(["net_amount", "tax_amount", "amount"]);
// What the sum of a column has to agree with: the first of these that the invoice says.
const AGREES = { "lines.net_amount": ["lines_total", "subtotal"], "taxes.amount": ["tax_total"] };

export function lineOf(path) {
  const found = /^(lines|taxes)\.(\d+)\.(.+)$/.exec(path);
  return found && { group: found[1], at: Number(found[2]), name: found[3] };
}

export class Lines {
  constructor(group, listener, valueOf) {
    this.group = group;
    this.listener = listener;
    this.valueOf = valueOf;
    this.entries = [];
    this.columns = [];
    this.rows = 0;
    this.what = group === "lines" ? "line" : "tax";
    this.title = make("h2", {}, group === "lines" ? "Lines" : "Taxes");
    this.badge = make("span", { class: "difference" });
    // Only lines can be added and removed: a tax follows from them.
    this.hasRowActs = group === "lines";
    this.add = this.hasRowActs
      ? button([icon("plus"), " Add line"], () => this.#row("insert", this.rows)) : null;
    this.table = make("table", { class: "grid" });
    this.wide = make("div", { class: "grid-wide", role: "region",
      "aria-label": this.title.textContent, tabindex: "-1" }, this.table);
    this.why = make("p", { class: "grid-why", "aria-live": "polite" });
    this.why.id = `why-${group}`;
    this.element = make("section", { class: `lines group-${group}` },
      make("div", { class: "lines-head" }, this.title, this.badge, this.add),
      this.wide,
      this.why);
  }

  // True when rows or columns changed, so that the cells are new ones.
  show(fields, isPending) {
    const found = fields.map((field) => ({ ...lineOf(field.path), field }))
      .filter((one) => one.group === this.group);
    const columns = columnsOf(found);
    const rows = found.reduce((most, one) => Math.max(most, one.at + 1), 0);
    const known = new Map(this.entries.map((one) => [one.path, one]));
    const isSame = rows === this.rows && columns.join() === this.columns.join()
      && found.every((one) => known.has(one.field.path))
      && this.entries.every((one) => one.isNew || found.some((other) => other.field.path === one.path));
    if (isSame) {
      for (const { field } of found) {
        Object.assign(known.get(field.path), { isNew: false })
          .show(field, isPending(field.path));
      }
    } else this.#build(found, columns, rows);
    this.element.hidden = rows === 0 && !this.hasRowActs;
    this.wide.hidden = rows === 0;
    this.sums();
    return !isSame;
  }

  #build(found, columns, rows) {
    const typed = rows === this.rows ? this.entries.filter((one) => one.isDirty) : [];
    Object.assign(this, { columns, rows });
    const cells = new Map(found.map((one) => [`${one.at}.${one.name}`, one]));
    this.entries = [];
    const head = make("tr", {}, columns.map((name) =>
      make("th", { scope: "col", class: this.#kind(name) }, SHORT[name] ?? titleOf(name))),
    make("th", { scope: "col" }, make("span", { class: "unseen" }, "Row")));
    const body = [...Array(rows).keys()].map((at) => make("tr", {},
      columns.map((name) => this.#cell(cells.get(`${at}.${name}`), name, at)),
      make("td", { class: "row-acts" }, this.hasRowActs ? this.#acts(at) : [])));
    this.footer = make("tr", {});
    fill(this.table,
      make("caption", { class: "unseen" }, `${this.title.textContent} of the invoice`),
      make("thead", {}, head), make("tbody", {}, body), make("tfoot", {}, this.footer));
    for (const { path, text } of typed) {
      const entry = this.entries.find((one) => one.path === path);
      if (entry) entry.input.value = text;
    }
  }

  #cell(one, name, at) {
    // What was read of other lines but not of this one can be said of this one too.
    const field = one?.field ?? {
      path: `${this.group}.${at}.${name}`, value: null, state: "missing", kind: this.#kind(name),
    };
    const cell = make("td", { class: this.#kind(name) });
    const entry = new Entry(field, {
      ...this.listener,
      changed: (changed) => this.#mark(cell, changed),
      entered: (entered) => {
        this.#explain(entered);
        this.listener.entered(entered);
      },
      typed: (typed) => {
        this.sums();
        this.listener.typed(typed);
      },
    });
    entry.cell = { lines: this, at, name };
    entry.input.setAttribute("aria-label", `${SHORT[name] ?? titleOf(name)}, ${this.what} ${at + 1}`);
    entry.input.setAttribute("aria-describedby", this.why.id);
    if (WIDE.has(name)) entry.input.title = plain(field.value);
    cell.append(entry.input);
    this.#mark(cell, entry);
    this.entries.push(Object.assign(entry, { isNew: !one }));
    return cell;
  }

  #kind(name) {
    return WIDE.has(name) ? "text" : amountLike(name) ? "number" : "word";
  }

  #mark(cell, entry) {
    cell.className = `${this.#kind(lineOf(entry.path).name)} ${entry.state.kind}`
      + (entry.isDoubtful ? " doubtful" : "");
  }

  #explain(entry) {
    const why = entry.error ? [entry.error] : entry.isDoubtful ? entry.field.reasons ?? [] : [];
    this.why.textContent = why.length
      ? `${entry.input.getAttribute("aria-label")}: ${entry.state.words}. ${why.map(told).join(" ")}`
      : "";
  }

  #acts(at) {
    const number = at + 1;
    const small = (sign, words, what) => button(icon(sign), () => this.#row(what, at), {
      kind: "sign", tabindex: "-1", "aria-label": `${words} ${this.what} ${number}`, title: words,
    });
    return [
      at > 0 ? small("join", "Join upwards", "join") : null,
      small("plus", "Insert below", "insert_below"),
      small("copy", "Duplicate", "duplicate"),
      small("cross", "Remove", "remove"),
    ];
  }

  #row(what, at) {
    if (what === "insert_below") this.listener.rows(this, "insert", at + 1);
    else this.listener.rows(this, what, at);
  }

  // What a person wants of a row. What is joined to the row above was one line on paper: words go
  // behind words, and a number where there is none.
  changes(what, at) {
    const ops = { insert: "insert_line", duplicate: "duplicate_line", remove: "remove_line" };
    if (what !== "join") return [{ op: ops[what], at }];
    const said = this.columns.map((name) => {
      const [above, below] = [at - 1, at].map((row) => this.at(row, name)?.text.trim() ?? "");
      const value = !above ? below : WIDE.has(name) && below ? `${above} ${below}` : above;
      return value === above ? null : { op: "set", path: `${this.group}.${at - 1}.${name}`, value };
    });
    return [...said.filter(Boolean), { op: ops.remove, at }];
  }

  at(row, name) {
    return this.entries.find((one) => one.cell.at === row && one.cell.name === name);
  }

  sums() {
    if (!this.footer) return;
    const cells = this.columns.map((name, at) => {
      if (!SUMMED.has(name)) return make("td", {}, at === 0 ? "Sum" : "");
      const total = this.#sum(name);
      return make("td", { class: "number" }, total === null ? "–" : written(total));
    });
    fill(this.footer, cells, make("td", {}));
    this.#compare();
  }

  #sum(name) {
    const texts = this.entries.filter((one) => one.cell.name === name).map((one) => one.text);
    return sum(texts.filter((text) => text.trim()));
  }

  #compare() {
    fill(this.badge);
    for (const name of this.columns) {
      const wanted = (AGREES[`${this.group}.${name}`] ?? []).map(this.valueOf).find((one) => one);
      const [total, other] = [this.#sum(name), amount(wanted)];
      if (wanted === undefined || total === null || other === null) continue;
      const apart = total - other;
      this.badge.className = `difference badge ${apart === 0n ? "good" : "bad"}`;
      this.badge.textContent = apart === 0n
        ? "Sums agree" : `Σ ${written(total)}: ${written(apart)} apart`;
    }
  }
}

function columnsOf(found) {
  const names = new Set(found.map((one) => one.name));
  const place = (name) => ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length;
  return [...names].sort((one, other) => place(one) - place(other) || one.localeCompare(other));
}

function amountLike(name) {
  return /amount|price|quantity|rate|base|discount|position|total/.test(name);
}

// Rows and cells of what was copied from a spreadsheet.
export function tableOf(text) {
  const rows = text.replace(/\r\n?/g, "\n").replace(/\n+$/, "").split("\n");
  return rows.map((row) => row.split("\t").map((cell) => cell.trim()));
}

// The changes that a pasted table asks for, from this cell on. A first row that names columns
// says where each goes.
export function pasted(entry, text) {
  const rows = tableOf(text);
  const { lines, at, name } = entry.cell;
  let columns = lines.columns.slice(lines.columns.indexOf(name));
  const named = rows[0].map((cell) => lines.columns.find((column) =>
    [column, titleOf(column), SHORT[column]].some((one) => one?.toLowerCase() === cell.toLowerCase())));
  if (named.filter(Boolean).length > rows[0].length / 2) {
    rows.shift();
    columns = named;
  }
  const changes = [];
  rows.forEach((cells, row) => {
    const target = at + row;
    if (target >= lines.rows && !lines.hasRowActs) return;
    if (target >= lines.rows) changes.push({ op: "insert_line", at: target });
    cells.forEach((value, column) => {
      const path = `${lines.group}.${target}.${columns[column]}`;
      if (columns[column] && value) changes.push({ op: "set", path, value });
    });
  });
  return changes;
}
