// What speaks against approving, in the words of the rules: each leads to the fields it is about.

import { button, fill, icon, make, plain } from "./make.js";
import { told } from "./words.js";

const KINDS = { block: ["bad", "cross", "Blocks"], warn: ["warn", "dot", "Warning"], info: ["calm", "dot", "Note"] };

export class Blockers {
  constructor(goTo) {
    this.goTo = goTo;
    this.list = make("ul", { class: "findings" });
    this.element = make("section", { class: "blockers", "aria-label": "What speaks against it",
      hidden: true }, this.list);
  }

  show(found, twins) {
    const rows = [...found.map((one) => this.#finding(one)), ...twins.map((one) => twinOf(one))];
    fill(this.list, rows);
    this.element.hidden = rows.length === 0;
  }

  #finding(one) {
    const [kind, sign, words] = KINDS[one.severity] ?? KINDS.info;
    const path = one.fields?.[0];
    return make("li", { class: kind }, icon(sign),
      make("span", { class: "unseen" }, `${words}: `),
      make("span", { class: "finding-words" }, told(one.detail || one.code)),
      path ? button("Show", () => this.goTo(path), { kind: "link",
        "aria-label": `Show the field: ${told(one.detail || one.code)}` }) : null);
  }
}

// In the way stands what is the same invoice and counts; what was rejected, or is only another
// copy of this file, is named.
function twinOf(one) {
  const stands = one.exact && !one.is_rejected && !one.is_later_copy;
  const about = [one.invoice_number, one.total, one.date, one.why,
    one.is_rejected ? "rejected" : "", one.is_later_copy ? "this file again" : ""];
  const told = about.filter(Boolean).map(plain).join(", ");
  return make("li", { class: stands ? "bad" : "warn" }, icon("copy"),
    make("span", { class: "finding-words" }, one.exact ? "The same invoice: " : "Very like: ",
      make("a", { href: `#item/${one.document_id}`, target: "_blank", rel: "noopener" },
        plain(one.filename || "another document")), told ? ` (${told})` : ""));
}
