// Why the form cannot be changed just now, and what can be done about it.

import { Refused, act } from "./api.js";
import { takeover } from "./dialogs.js";
import { button, make, plain } from "./make.js";
import { STATUSES, timeOf } from "./words.js";

export function banner(item, lost) {
  const { detail, desk } = item;
  if (!item.isOpen) return decided(item);
  if (lost || detail.claimed_by === null) return gone(item, lost);
  if (detail.claimed_by === desk.owner) return beingRead(detail);
  const holder = plain(detail.claimed_by);
  const until = detail.claimed_until ? ` until ${timeOf(detail.claimed_until)} at least` : "";
  return shown("info", `${holder} is reviewing this document${until}. You can look, not change.`,
    mayTake(item) ? button("Take over…", () => take(item, holder)) : null, next(desk));
}

function beingRead({ reextract_asked_at: at, reextract_asked_by: by }) {
  return at ? shown("info", `It is being read again, asked for by ${plain(by)}, ${timeOf(at)}.`) : null;
}

function gone(item, lost) {
  const { detail, desk } = item;
  const other = detail.claimed_by && detail.claimed_by !== desk.owner ? plain(detail.claimed_by) : null;
  const why = other ? `${other} is reviewing this document now.`
    : lost && lost.code !== "lease-lost" ? lost.message
      : "Your hold on this document has ended, because nothing happened here for a while.";
  const kept = lost?.code === "lease-lost" ? " What you confirmed is kept." : "";
  return shown("warn", why + kept,
    other ? mayTake(item) ? button("Take over…", () => take(item, other)) : null
      : button("Go on with it", () => claim(item), { kind: "primary small" }),
    next(desk));
}

function decided(item) {
  const { detail } = item;
  const [status, kind] = STATUSES[detail.status] ?? [detail.status, ""];
  const by = detail.decided_by ? ` by ${plain(detail.decided_by)}, ${timeOf(detail.decided_at)}` : "";
  const why = detail.reason ? ` “${plain(detail.reason)}”` : "";
  const parts = detail.children.length ? ` It was split into ${detail.children.length} documents.` : "";
  return shown(kind === "bad" ? "bad" : "good", `${status}${by}.${why}${parts}`, next(item.desk));
}

function mayTake({ detail }) {
  return detail.actions.includes("takeover");
}

function shown(kind, words, ...acts) {
  return make("div", { class: `banner ${kind}`, role: "status" }, make("span", {}, words), ...acts);
}

function next(desk) {
  return button("Next document", () => desk.next());
}

async function take(item, holder) {
  const said = await takeover(holder);
  if (said) await hold(item, "takeover", said);
}

const claim = (item) => hold(item, "claim");

async function hold(item, what, body) {
  try {
    item.hold(await act(item.id, what, { body }));
  } catch (error) {
    if (error instanceof Refused) item.lose(error);
    else item.desk.failed(error);
  }
}
