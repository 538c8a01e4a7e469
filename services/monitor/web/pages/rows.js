// Tables that a phone can show too: there each row becomes a card in which every cell says its
// name. The roles stay, since a table that is laid out otherwise is none to who hears it.

import { make } from "./make.js";

// What such columns hold speaks for itself: their names are for who cannot see.
const SILENT = new Set(["doing", "pick"]);

// `heads`: the name of each column, or a name and a class. A row is its cells, or cells and
// what else its element has.
export function rows(caption, heads, lines, { isTight = false, ...more } = {}) {
  const columns = heads.map((one) => Array.isArray(one) ? one : [one, ""]);
  return make("table", { class: isTight ? "rows tight" : "rows", role: "table", ...more },
    make("caption", { class: "unseen" }, caption),
    make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, columns.map(([name, kind]) =>
      make("th", { scope: "col", role: "columnheader", class: kind },
        SILENT.has(kind) ? make("span", { class: "unseen" }, name) : name)))),
    make("tbody", { role: "rowgroup" }, lines.map((line) => rowOf(columns, line))));
}

function rowOf(columns, line) {
  const [cells, given] = Array.isArray(line) ? [line, {}] : [line.cells, line.given];
  return make("tr", { role: "row", ...given }, cells.map((cell, at) => {
    const [name, kind] = columns[at];
    // A phone leaves out what is not known.
    const isUnknown = cell === null || cell === undefined;
    return make("td", { role: "cell", class: isUnknown ? `${kind} unknown` : kind, "data-name": SILENT.has(kind) ? null : name },
      isUnknown ? make("span", { class: "muted" }, "–") : cell);
  }));
}

// Names and what they are, in a column.
export function facts(lines) {
  return make("dl", { class: "facts" }, lines.filter((one) => one && one[1] !== null && one[1] !== undefined
    && one[1] !== "").map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

export function tiles(lines) {
  return make("dl", { class: "tiles" }, lines.map(([name, value, kind = "", hook = null]) =>
    make("div", { class: `tile ${kind}`, "data-tile": hook }, make("dt", {}, name), make("dd", {}, value))));
}

export function card(title, ...children) {
  const id = `card-${title.toLowerCase().replace(/[^a-z]+/g, "-")}`;
  return make("section", { class: "card", "aria-labelledby": id }, make("h2", { id }, title), children);
}

export function good(words) {
  return make("p", { class: "all-well" }, words);
}
