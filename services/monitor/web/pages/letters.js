// Letters as a list: which document, how often it was tried, how it stands.

import { make, plain } from "./make.js";
import { rows } from "./rows.js";
import { LETTERS, OUTCOMES, ago, badgeOf, number } from "./words.js";

// `choosing`: which are picked, and whom to tell; without it there is nothing to pick.
export function letterRows(letters, choosing = null) {
  const heads = [...choosing ? [["Choose", "pick"]] : [], "Letter", "State", ["Attempts", "number"], "Document", "Failed"];
  return rows("Letters, the latest first", heads, letters.map((one) => ({ given: { "data-letter": one.letter_id }, cells: [
    ...choosing ? [one.state === "open" ? pick(one, choosing) : ""] : [],
    [make("a", { href: `#letter/${one.letter_id}`, class: "row-link" }, make("code", {}, short(one.letter_id))),
      make("span", { class: "muted message" }, plain(one.message))],
    [badgeOf(LETTERS, one.state), one.outcome && one.state !== "refailed" ? make("span", { class: "muted" }, ` ${OUTCOMES[one.outcome]?.[0] ?? plain(one.outcome)}`) : null],
    [number(one.attempts), one.run ? make("span", { class: "muted" }, ` in run ${one.run}`) : null],
    one.document_id ? make("a", { href: `#document/${one.document_id}` }, make("code", {}, short(one.document_id))) : null,
    ago(one.last_failed_at ?? one.arrived_at),
  ] })), { "data-list": "letters" });
}

// Ids of one moment begin alike, and end differently.
export function short(id) {
  return `…${plain(id).slice(-12)}`;
}

function pick(one, { picked, changed }) {
  return make("input", { type: "checkbox", id: `pick-${one.letter_id}`, "aria-label": `Choose letter ${short(one.letter_id)}`,
    checked: picked.has(one.letter_id), on: { change: (event) => {
      if (event.target.checked) picked.add(one.letter_id);
      else picked.delete(one.letter_id);
      changed();
    } } });
}
