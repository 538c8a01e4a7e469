// What went wrong, in the server's words, and what a person can do about it now.

import { Away, Refused } from "./ask.js";
import { button, fill, make, part, plain } from "./make.js";
import { toast } from "./notices.js";

const ADVICE = {
  forbidden: "Your role does not allow it. Whoever runs Paperline can give you one that does.",
  stale_version: "Somebody changed it meanwhile. Look at it as it is now, then decide again.",
  overlapping_operation: "Watch the other one to its end, or cancel it first.",
  already_replaying: "It is on its way already. Look how that ends.",
  not_replayable: "It can be archived with a reason, or mended and sent on.",
  not_allowed: "Its state has changed. Look at it as it is now.",
  bad_edit: "Change the message so that it is valid, and send it again.",
  forged_request: "Reload this page and sign in again.",
  no_such_letter: "It may have been purged, or its document erased.",
  no_such_document: "Check the id. What is older than the kept facts is found in the results only.",
};
const BY_STATUS = {
  403: ADVICE.forbidden, 404: "Go back to the list: it may be gone.", 409: "Look again: something else is under way.",
  412: ADVICE.stale_version, 422: "Correct what it says, and ask again.",
  500: "It was counted and logged. Try again; if it stays so, look at the log of the monitor.",
};
// Where what is in the way can be watched, as a place of this page.
const HOMES = [["/ops/v1/operations/", "operation"], ["/ops/v1/dead-letters/", "letter"]];

export function explain(error) {
  if (error instanceof Away) {
    return { title: "No answer just now", detail: error.message,
      advice: "Nothing was lost. The page tries again by itself; the services go on without it." };
  }
  if (error instanceof Refused) {
    const { title, detail, trace_id: trace } = error.problem;
    return { title: title ?? "It was refused", detail: detail === title ? "" : error.message,
      advice: ADVICE[error.code.replaceAll("-", "_")] ?? BY_STATUS[error.status] ?? "Try again in a moment.",
      place: placeOf(error.location), trace };
  }
  return { title: "Something went wrong here", detail: error?.message ?? "", advice: "Reload this page." };
}

// The sentences of it, for the top of the page or for a dialog.
export function told(error) {
  const { title, detail, advice, place, trace } = explain(error);
  return [make("strong", {}, plain(title)), detail ? ` ${plain(detail)}` : null, ` ${advice}`,
    place ? [" ", make("a", { href: `#${place}` }, "Show it")] : null,
    trace ? make("span", { class: "muted trace" }, ` Trace ${plain(trace)}`) : null];
}

// Of what was asked for and refused: beside the page, which shows what is.
export function toastTrouble(error) {
  const { title, detail, advice, place } = explain(error);
  toast([title, detail, advice].filter(Boolean).map(plain).join(" "), { kind: "bad", forMs: 15_000,
    label: "Show it", act: place ? () => { location.hash = place; } : undefined });
}

export function showTrouble(error, again) {
  fill(part("notice"), make("span", {}, told(error)), button("Look again", again));
  part("notice").hidden = false;
}

export function clearTrouble() {
  if (!part("notice").hidden) fill(part("notice"));
  part("notice").hidden = true;
}

function placeOf(location) {
  const found = HOMES.find(([path]) => location?.startsWith(path));
  return found ? `${found[1]}/${location.slice(found[0].length)}` : null;
}
