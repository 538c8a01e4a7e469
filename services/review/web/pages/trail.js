// What became of a document, the latest first: who did what, when, what it was before, and why.
// Nothing is left out that the audit log says in words; digests and versions are for programs.

import { audit } from "./api.js";
import { button, make, plain } from "./make.js";
import { labelOf, titleOf } from "./words.js";

const DEEDS = {
  item_claimed: "took it",
  item_released: "gave it back",
  claim_lapsed: "ended a claim that had run out",
  item_taken_over: "took it over",
  item_assigned: "assigned it",
  item_postponed: "put it off",
  item_escalated: "passed it on",
  item_given_back: "had it read again",
  item_reread: "showed what was read anew",
  item_approved: "approved it",
  item_corrected: "approved it with corrections",
  item_rejected: "rejected it",
  item_split_failed: "found that it cannot be split",
  item_undone: "took the decision back",
  item_reopened: "opened it again",
  item_passed_straight_through: "approved it without a person",
  item_needs_a_person: "handed it to people",
  item_withdrawn: "withdrew it",
  field_corrected: "corrected",
  field_confirmed: "confirmed",
  field_cleared: "cleared",
  line_inserted: "put in a row",
  line_duplicated: "doubled a row",
  line_removed: "took out a row",
};
// Where documents are, and which of their states it was: nobody reads these.
const SILENT = /(?:^|_)(?:key|version|revision)$/;
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

export async function showTrail(item) {
  const { data } = await audit(item.id);
  const dialog = make("dialog", { class: "wide", "aria-labelledby": "trail-title" },
    make("div", { class: "help-head" },
      make("h2", { id: "trail-title" }, `What became of ${plain(item.detail.filename)}`),
      button("Close", () => dialog.close())),
    data.entries.length
      ? make("ol", { class: "trail" }, data.entries.map(entryOf))
      : make("p", { class: "muted" }, item.desk.may("audit:all:read")
        ? "Nobody has done anything to it yet." : "You have not done anything to it yet."),
    item.desk.may("audit:all:read") ? null
      : make("p", { class: "muted" }, "You see what you did yourself."));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function entryOf(one) {
  const changes = changesOf(one.before, one.after);
  return make("li", {},
    make("p", { class: "trail-deed" },
      make("time", { class: "muted", datetime: one.at }, timeOf(one.at)),
      make("span", {}, make("strong", {}, plain(one.actor)), ` ${deedOf(one.action)}`)),
    changes.length ? make("ul", { class: "trail-changes" }, changes.map((words) => make("li", {}, words))) : null,
    one.reason ? make("p", { class: "trail-reason" }, `“${plain(one.reason)}”`) : null);
}

function deedOf(action) {
  return DEEDS[action] ?? action.replace(/^item_/, "").replaceAll("_", " ");
}

// Of each thing that is named its value before and after; what stayed as it was is not said.
function changesOf(before, after) {
  const path = after?.path ?? before?.path;
  if (path) return [`${labelOf(path)}: ${fieldWords(before, after)}`];
  const [was, is] = [flat(before), flat(after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((name) => !SILENT.test(name) && was.get(name) !== is.get(name))
    .filter((name) => was.get(name) || is.get(name))
    .map((name) => wordsOf(name, was.get(name), is.get(name), is.has(name)));
}

function fieldWords(before, after) {
  const [was, is] = [before, after].map((one) => plain(one?.value) || "nothing");
  const page = after?.evidence?.[0]?.page;
  return (was === is ? is : `${was} → ${is}`) + (page ? `, seen on page ${page}` : "");
}

function wordsOf(name, was, is, isSaid) {
  const title = titleOf(name);
  if (!was) return `${title}: ${is}`;
  return isSaid ? `${title}: ${was} → ${is || "nothing"}` : `${title}: was ${was}`;
}

function flat(said, under = "", found = new Map()) {
  for (const [name, value] of Object.entries(said ?? {})) {
    const path = under ? `${under}.${name}` : name;
    if (value !== null && typeof value === "object" && !Array.isArray(value)) flat(value, path, found);
    else found.set(path, textOf(value));
  }
  return found;
}

function textOf(value) {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((one) => textOf(one)).join(", ");
  if (typeof value === "object") return JSON.stringify(value);
  const text = plain(value);
  return MOMENT.test(text) ? timeOf(text) : text;
}

// With its seconds: it is a record.
function timeOf(moment) {
  return new Date(moment).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}
