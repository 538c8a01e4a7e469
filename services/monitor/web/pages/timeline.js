// Everything that became of one document, in order: what its services told, every attempt that
// died and why, how it was sent back and what came of that, what people did.

import * as api from "./api.js";
import { Fresh, refill } from "./fresh.js";
import { make, plain } from "./make.js";
import { meaningOf } from "./reasons.js";
import { card, facts } from "./rows.js";
import { OUTCOMES, STATUSES, badge, badgeOf, moment, titleOfQueue, trace, within } from "./words.js";

const FACTS = {
  "document.accepted": ["Accepted", "good"], "document.started": ["Reading began", ""], "document.waiting": ["Waits", "warn"],
  "document.extracted": ["Read", "good"], "document.stored": ["Stored", "good"], "document.failed": ["Failed", "bad"],
  "document.ended": ["Ended", ""], "document.finalised": ["Decision kept", "good"], "document.cancelled": ["Cancelled", ""],
  "document.deleted": ["Deleted", ""], "document.erased": ["Erased", ""], "document.split_failed": ["Could not be split", "warn"],
  "review.opened": ["Review opened", ""], "review.claimed": ["Taken by a reviewer", ""], "review.released": ["Given back", ""],
  "review.decided": ["Decided", "good"], "review.reopened": ["Opened again", "warn"], "review.overdue": ["Review overdue", "warn"],
};
const DEEDS = { payload_viewed: "looked at its payload", log_viewed: "looked at its log", letter_edited: "mended the message",
  letter_replayed: "sent it back", letter_erased: "erased its letter with it" };
// For programs; a person reads the rest.
const SILENT = new Set(["job_id", "cause_id", "letter_id", "replay_id", "operation_id", "run", "state", "category", "queue", "outcome", "actor",
  "resource", "requested_by", "filename", "status"]);
const HOMES = { letter: "letter", operation: "operation" };

export class Timeline {
  constructor(home, id) {
    this.home = home;
    this.id = id;
    this.name = "Timeline";
    this.title = make("h1", { id: "title", tabindex: "-1" }, "Timeline");
    this.content = make("div", {});
    this.element = make("div", { class: "page" },
      make("p", { class: "trail-back" }, make("a", { href: "#documents" }, "Documents"), " ›"), this.title, this.content);
    this.fresh = new Fresh(home, () => this.#load());
  }

  start() {
    return this.fresh.start();
  }

  again() {
    return this.fresh.now();
  }

  leave() {
    this.fresh.stop();
  }

  async #load() {
    const told = await api.timeline(this.id);
    return () => this.#show(told);
  }

  #show({ document: one, trace_ids: traces, entries, is_cut: isCut }) {
    const accepted = entries.find(({ what }) => what === "document.accepted");
    this.title.textContent = plain(one.filename ?? accepted?.detail.filename) || "A document without a name";
    this.home.title(this.title.textContent);
    refill(this.content,
      card("Where it is", make("p", { class: "chips" }, badgeOf(STATUSES, one.status), one.run ? badge([`Run ${one.run}`, ""]) : null), facts([
        ["Document", make("code", {}, one.document_id)],
        ["SHA-256", accepted?.detail.sha256 ? make("code", { class: "message" }, plain(accepted.detail.sha256)) : null],
        ["Owner", plain(one.owner_id)], ["Accepted", moment(one.accepted_at)], ["Moved last", moment(one.moved_at)],
        [traces.length > 1 ? "Traces" : "Trace", traces.map((id) => make("span", { class: "message" }, trace(id)))],
      ])),
      card("What became of it", make("ol", { class: "timeline", "data-list": "timeline" }, entries.map(entryOf)),
        isCut ? make("p", { class: "muted" }, "There is more; its end was cut off.") : null));
  }
}

function entryOf({ at, kind, what, detail, links }) {
  const [mark, words] = saidOf(kind, what, detail);
  const more = Object.entries(detail).filter(([name, value]) => !SILENT.has(name) && value !== null && value !== "" && name !== "message");
  return make("li", { class: `entry ${kind}`, "data-kind": kind, "data-what": what },
    make("p", { class: "entry-head" }, moment(at), " ", mark, words ? [" ", words] : null),
    detail.message ? make("p", { class: "message" }, make("code", {}, plain(detail.message))) : null,
    more.length ? make("p", { class: "muted message" }, more.map(([name, value]) => `${name.replaceAll("_", " ")}: ${textOf(value)}`).join(" · ")) : null,
    make("p", { class: "entry-links" }, Object.entries(links).filter(([name]) => HOMES[name]).map(([name, address]) =>
      make("a", { href: `#${HOMES[name]}/${address.split("/").at(-1)}` }, `Its ${name}`))));
}

function saidOf(kind, what, detail) {
  if (kind === "dead_letter") {
    return [badge(["Gave up", "bad"]), `${titleOfQueue(detail.queue)}: ${within(meaningOf(what).what)}, after ${detail.attempts} `
      + `${detail.attempts === 1 ? "attempt" : "attempts"}${detail.run ? ` of run ${detail.run}` : ""}`];
  }
  if (kind === "replay") return [badge(["Replayed", "busy"]), `by ${plain(detail.requested_by)}, as run ${detail.run}`];
  if (kind === "replay_settled") return [badgeOf(OUTCOMES, what), "is how the replay ended"];
  if (kind === "deed") return [badge(["Person", ""]), `${plain(detail.actor)} ${DEEDS[what] ?? plain(what).replaceAll("_", " ")}`];
  const told = FACTS[what] ?? [plain(what), ""];
  return [badge(what === "document.ended" ? STATUSES[detail.status] ?? told : told), detail.run ? `run ${detail.run}` : null];
}

function textOf(value) {
  return plain(typeof value === "object" ? JSON.stringify(value) : value);
}
