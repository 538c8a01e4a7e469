// A plain table of figures under its title; nothing at all when there are none.

import { make } from "./make.js";

export function table(title, heads, rows) {
  if (!rows.length) return null;
  return make("section", { class: "card" }, make("h2", {}, title),
    make("table", { class: "plain-table" },
      make("thead", {}, make("tr", {}, heads.map((one) => make("th", { scope: "col" }, one)))),
      make("tbody", {}, rows.map(([first, ...rest]) => make("tr", {},
        make("th", { scope: "row" }, first),
        rest.map((one) => make("td", { class: "number" }, String(one ?? "–"))))))));
}
