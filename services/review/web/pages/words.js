// How times, shares and states are said. English, with the person's own way to write numbers.

import { plain } from "./make.js";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const STATES = {
  auto_confirmed: { icon: "bolt", words: "Machine is sure", kind: "calm" },
  human_confirmed: { icon: "tick", words: "Confirmed", kind: "good" },
  not_validated: { icon: "dot", words: "Please check", kind: "warn" },
  rule_failed: { icon: "cross", words: "Rule failed", kind: "bad" },
  missing: { icon: "empty", words: "Missing", kind: "calm" },
};

export const STATUSES = {
  pending: ["Waiting", ""],
  in_review: ["In review", "busy"],
  approved: ["Approved", "good"],
  corrected: ["Corrected", "good"],
  rejected: ["Rejected", "bad"],
  withdrawn: ["Withdrawn", ""],
};

const SOURCES = {
  einvoice_xml: "e-invoice",
  pdf_text: "text",
  ocr: "scan",
  gemini: "Gemini",
  rule: "repaired",
  human: "person",
};

export const ENGINES = {
  einvoice: "The XML in it, else our own engine",
  offline: "Our own engine",
  gemini: "Gemini",
};

export const REASONS = [
  ["unreadable", "It cannot be read"],
  ["not_an_invoice", "It is no invoice"],
  ["wrong_recipient", "It is addressed to somebody else"],
  ["duplicate", "We have it already"],
  ["suspicious", "Something is suspicious"],
  ["other", "Something else"],
];

export function sourceOf(candidate) {
  const sure = candidate.confidence == null ? "" : `, ${percent(candidate.confidence)} sure`;
  return `${SOURCES[candidate.source] ?? candidate.source ?? "machine"}${sure}`;
}

export function percent(share) {
  return `${Math.round(100 * share)} %`;
}

// A span as a person says it: one unit, rounded down.
export function span(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min`;
  if (whole < 2 * DAY) return `${Math.floor(whole / HOUR)} h`;
  return `${Math.floor(whole / DAY)} days`;
}

export function since(moment) {
  return `${span((Date.now() - Date.parse(moment)) / 1000)} ago`;
}

export function dueWords(moment) {
  const left = (Date.parse(moment) - Date.now()) / 1000;
  return left < 0 ? `Late by ${span(-left)}` : `Due in ${span(left)}`;
}

export function timeOf(moment) {
  const when = new Date(moment);
  const today = when.toDateString() === new Date().toDateString();
  return when.toLocaleString(undefined, today
    ? { hour: "2-digit", minute: "2-digit" }
    : { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

export function seconds(number) {
  return number == null ? "–" : number < 100 ? `${Math.round(number)} s` : span(number);
}

export function count(number, one, many) {
  return `${number} ${number === 1 ? one : many}`;
}

const labels = new Map();

export function nameFields(fields) {
  labels.clear();
  for (const { path, label } of fields) labels.set(path, label ?? titleOf(path));
}

// A sentence of a rule, in which fields have their paths, in the words of the form.
export function told(sentence) {
  return plain(sentence).replace(/[a-z_]+(?:\.[a-z0-9_]+)+/g, (path) => labels.get(path) ?? path);
}

export function labelOf(path) {
  return plain(labels.get(path) ?? titleOf(path));
}

// A name for a path that has none: `seller.vat_id` → Vat id.
export function titleOf(path) {
  const last = path.split(".").at(-1).replaceAll("_", " ");
  return last.charAt(0).toUpperCase() + last.slice(1);
}
