// How queues, states and outcomes are called on the pages.

import { make, plain } from "./make.js";
import { span } from "./saying.js";

const TITLES = {
  "ingest.submit": "Submissions by message", "ingest.split": "Splitting files", "ingest.reextract": "Reading again",
  "ingest.status": "Noting where documents stand", "extractor.extract": "Reading documents",
  "extractor.learn": "Learning from decisions", "storage.store": "Storing results", "storage.finalise": "Keeping decisions",
  "review.open": "Opening reviews", "review.split": "Taking failed splits back", "monitor.watch": "Watching facts",
};
const WITHDRAWING = "Withdrawing what was cancelled or deleted";

export function titleOfQueue(name) {
  return TITLES[name] ?? (name.endsWith(".withdraw") ? WITHDRAWING : name.endsWith(".steer") ? "Hearing operators" : plain(name));
}

export const HEALTH = {
  ok: ["Runs", "good"], paused: ["Paused", "warn"], stalled: ["Nobody takes it", "bad"],
  short: ["Fewer than usual", "warn"], missing: ["Missing in the broker", "bad"], unknown: ["Unknown", ""],
};
export const PAUSES = {
  operator: "paused by hand", protective_stop: "stopped by itself: too many deliveries died",
  gemini_away: "Gemini does not answer", postgres_away: "the database is away", blobs_away: "the file store is away or full",
};
export const LETTERS = {
  open: ["Open", "bad"], replaying: ["On its way", "busy"], resolved: ["Resolved", "good"], refailed: ["Failed again", "bad"],
  archived: ["Archived", ""], superseded: ["Mended", "good"],
};
export const OPERATIONS = {
  preparing: ["Preparing", "busy"], running: ["Running", "busy"], paused: ["Paused", "warn"],
  completed: ["Completed", "good"], cancelled: ["Cancelled", ""],
};
export const KINDS = { replay: "Replay", archive: "Archive", unarchive: "Take out of the archive", purge: "Purge" };
export const OUTCOMES = {
  waiting: ["Waits for its turn", ""], sent: ["On its way", "busy"], done: ["Succeeded", "good"],
  already_applied: ["Was done already", "good"], withdrawn: ["Withdrawn", ""], refailed: ["Failed again", "bad"],
  skipped: ["Skipped", "warn"], applied: ["Done", "good"],
};
export const STATUSES = {
  queued: ["Queued", "busy"], processing: ["In work", "busy"], completed: ["Completed", "good"], duplicate: ["Duplicate", "good"],
  failed: ["Failed", "bad"], cancelled: ["Cancelled", ""], deleted: ["Deleted", ""],
};

export function badge([words, kind]) {
  return make("span", { class: `badge ${kind}` }, words);
}

export function badgeOf(table, state) {
  return badge(table[state] ?? [plain(state), ""]);
}

export function pauseWords(reason) {
  return PAUSES[reason] ?? plain(reason).replaceAll("_", " ");
}

// With its seconds: operators compare it with a log.
export function moment(text) {
  return text ? make("time", { datetime: text, title: text }, new Date(text).toLocaleString(undefined,
    { dateStyle: "medium", timeStyle: "medium" })) : null;
}

export function ago(text) {
  return text ? make("time", { datetime: text, title: new Date(text).toLocaleString() },
    `${span((Date.now() - Date.parse(text)) / 1000)} ago`) : null;
}

export function number(value) {
  return value === null || value === undefined ? null : Number(value).toLocaleString();
}

// Within a sentence: the first word small, unless it is an abbreviation.
export function within(words) {
  return /^\p{Lu}\p{Ll}/u.test(words) || /^\p{Lu} /u.test(words) ? words.charAt(0).toLowerCase() + words.slice(1) : words;
}

export function letterCount(n) {
  return `${number(n)} ${n === 1 ? "letter" : "letters"}`;
}

export function rate(value) {
  return value === null || value === undefined ? null : `${value < 10 ? Math.round(10 * value) / 10 : Math.round(value)}/s`;
}

export function groupPlace(fingerprint) {
  return `#group/${encodeURIComponent(fingerprint)}`;
}

const traceUrl = document.querySelector("meta[name=trace-url]").content;

// A link where somebody keeps traces; else the id, under which the logs can be searched.
export function trace(id) {
  if (!id) return null;
  const shown = plain(id);
  if (!traceUrl) return make("code", {}, shown);
  return make("a", { href: traceUrl.replace("{trace_id}", encodeURIComponent(id)), target: "_blank", rel: "noopener" },
    make("code", {}, shown));
}
