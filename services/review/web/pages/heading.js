// What the item is, in two lines: its name, how it stands, why it came now, how much is left.

import { icon, make, plain } from "./make.js";
import { STATUSES, count, dueWords, since } from "./words.js";

const DUE = { none: "", ok: "", soon: "warn", late: "bad" };

export function heading(detail, doubtful) {
  const [status, kind] = STATUSES[detail.status] ?? [detail.status, ""];
  // Of what is decided nobody has to check anything.
  const left = detail.decided_at ? null : make("span", { class: `badge ${doubtful ? "warn" : "good"}` },
    doubtful ? `${doubtful} to check` : "All checked");
  return [
    make("h1", { class: "item-title", title: plain(detail.filename) }, plain(detail.filename)),
    make("div", { class: "chips" },
      left,
      make("span", { class: `badge ${kind}` }, status),
      dueMark(detail),
      detail.duplicate ? make("span", { class: "badge warn" }, "Same bytes seen before") : null,
      detail.level > 1 ? make("span", { class: "badge" }, `Level ${detail.level}`) : null,
      make("span", { class: "muted" }, `arrived ${since(detail.accepted_at)}`
        + (detail.pages?.length ? `, ${count(detail.pages.length, "page", "pages")}` : ""))),
    detail.rank?.why?.length
      ? make("p", { class: "why muted" }, `Why now: ${detail.rank.why.map(plain).join(" · ")}`) : null,
  ];
}

// The colour only repeats what the words say.
export function dueMark({ due_at: due, sla }) {
  if (!due || sla === "none") return null;
  return make("span", { class: `badge due ${DUE[sla] ?? ""}` }, icon("clock"), dueWords(due));
}
