// How times, shares and states are said. English, with the person's own way to write numbers.

import { plain } from "./make.js";
import { percent, span, titleOf } from "./saying.js";

export { count, percent, since, span, timeOf, titleOf } from "./saying.js";

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

export function dueWords(moment) {
  const left = (Date.parse(moment) - Date.now()) / 1000;
  return left < 0 ? `Late by ${span(-left)}` : `Due in ${span(left)}`;
}

export function seconds(number) {
  return number == null ? "–" : number < 100 ? `${Math.round(number)} s` : span(number);
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
