// Is anything wrong? One sentence for the top, and for each trouble what it is, what it means for
// documents and what can be done now. What is lost or broken comes before what only waits.

import { meaningOf } from "./reasons.js";
import { count, percent, span } from "./saying.js";
import { number, pauseWords, titleOfQueue, within } from "./words.js";

const NOTHING_LOST = "Nothing is lost: what waits keeps its place and goes on by itself.";
const OUTBOX_AGE_S_MAX = 60;

// `kind`: bad for now, warn for today. `queue`: one that can be paused or resumed for it. What stops
// the work now comes before what it has left behind.
export function troublesOf(overview, workings) {
  return [
    ...brokenPromises(overview), ...brokerAway(workings), ...breakers(overview), ...pauses(overview),
    ...unwell(workings, STANDING), ...lost(workings), ...outboxes(overview), ...failures(overview), ...late(overview),
    ...unwell(workings, FEWER),
  ];
}

export function sentenceOf(troubles) {
  if (!troubles.length) return { kind: "good", words: "All is well. Nothing needs you." };
  const [first, ...more] = troubles;
  const rest = more.length ? ` And ${count(more.length, "more thing", "more things")} to look at.` : "";
  const kind = troubles.some((one) => one.kind === "bad") ? "bad" : "warn";
  // Without what changes every second: it is read out whenever it changes.
  return { kind, words: `${first.short ?? first.title}.${rest}` };
}

function brokenPromises({ violations }) {
  const broken = Object.values(violations ?? {}).filter((total) => total > 0);
  if (!broken.length) return [];
  return [{ id: "promises", kind: "bad", title: `${count(broken.length, "promise is", "promises are")} broken`,
    means: "Something may be lost or doubled. The proof names the documents.", place: "proof", lead: "Open the proof" }];
}

function brokerAway({ broker_answers: answers }) {
  if (answers) return [];
  return [{ id: "broker", kind: "bad", title: "The broker does not answer",
    means: "Uploads are still accepted. What is to be sent waits in the outboxes. Nothing is lost.",
    act: "Bring RabbitMQ back; everything goes on by itself." }];
}

// A condition reads `open: connection since 2026-03-14T11:59:00Z`.
const CONDITION = /^([a-z-]+)(?:: (.*?))?(?: since (\S+))?$/;

export function breakerOf(told) {
  const [, state, reason = "", since = null] = CONDITION.exec(told) ?? [null, told];
  return { state, reason: reason.replaceAll("_", " "), since };
}

function breakers({ services, documents }) {
  const waiting = (documents.queued ?? 0) + (documents.processing ?? 0);
  return services.flatMap(({ service, conditions }) => Object.entries(conditions)
    .filter(([name, told]) => name.startsWith("breaker.") && !told.startsWith("closed"))
    .map(([name, told]) => {
      const { state, reason, since } = breakerOf(told);
      return { id: name, kind: "warn", queue: `${service}.extract`,
        short: `${providerOf(name)} does not answer${reason ? `: ${reason}` : ""}`,
        title: `${providerOf(name)} does not answer${since ? `, for ${ageOf(since)} now` : ""}${reason ? `: ${reason}` : ""}`,
        means: `Its breaker is ${state}, so it is not asked. ${count(waiting, "document is", "documents are")} in flight. ${NOTHING_LOST} `
          + "When it is away for longer than its patience, our own engine reads alone, and says so in each result.",
        act: `Nothing has to be done: it is probed once a minute and recovers by itself. To stop reading until you say so, pause “${titleOfQueue(`${service}.extract`)}”.` };
    }));
}

function pauses({ pauses: paused, services }) {
  const told = new Set(services.flatMap(({ conditions }) => Object.entries(conditions)
    .filter(([name, said]) => name.startsWith("breaker.") && !said.startsWith("closed"))
    .map(([name]) => `${name.slice("breaker.".length)}_away`)));
  return paused.filter((one) => !told.has(one.reason)).map((one) => ({
    id: `pause-${one.queue}`, kind: "warn", queue: one.queue, pause: one,
    short: `${titleOfQueue(one.queue)}: ${pauseWords(one.reason)}`,
    title: `${titleOfQueue(one.queue)}: ${pauseWords(one.reason)}, for ${ageOf(one.since)} now`,
    means: `${one.detail ? `${one.detail}. ` : ""}${NOTHING_LOST}`,
    act: one.reason === "operator" ? "It ends by itself, or resume it now."
      : one.reason === "protective_stop" ? "Look at the failures first: new since a deploy? Then roll back. It resumes with the first success."
        : "It is tried once a minute and ends by itself.",
  }));
}

const STANDING = new Set(["stalled", "missing"]);
const FEWER = new Set(["short"]);

function unwell({ queues }, which) {
  const by = (health) => queues.filter((one) => one.health === health);
  const names = (found) => found.length > 3 ? `${found.length} queues` : found.map((one) => titleOfQueue(one.name)).join(", ");
  const said = [
    ["stalled", "bad", "Nobody takes", "Start the service, or look at its log: its messages wait and none is lost."],
    ["missing", "bad", "Missing in the broker:", "Apply the topology: python -m shared.topology apply."],
    ["short", "warn", "Fewer processes than a moment ago take", "A process ended or restarts. It is forgotten after 90 seconds; then this line goes."],
  ];
  return said.flatMap(([health, kind, words, act]) => which.has(health) && by(health).length ? [{ id: health, kind,
    title: `${words} ${names(by(health))}`, means: NOTHING_LOST, act, place: "queues", lead: "Open the queues" }] : []);
}

function failures({ dead_letters: dead, groups }) {
  const loud = groups.filter((one) => !one.muted);
  if (!dead.open) return [];
  const [first] = loud;
  return [{ id: "failures", kind: loud.length ? "bad" : "warn",
    title: `${count(dead.open, "message has", "messages have")} failed for good`,
    means: first ? `Most: ${within(meaningOf(first.reason).what)} (${number(first.letters)}). Each is kept whole and can be sent again.`
      : "All of it is known and muted.",
    act: "Fix the cause, then replay the group.", place: "failures", lead: "Open the failures" }];
}

function lost({ unroutable_open: open, unroutable_ready: ready }) {
  const found = open + (ready ?? 0);
  if (!found) return [];
  return [{ id: "unroutable", kind: "bad", title: `${count(found, "message", "messages")} arrived nowhere`,
    means: "No queue took it: a binding is missing, or a sender is wrong. It is kept.",
    act: "Apply the topology, then replay it.", place: "failures", lead: "Open the failures" }];
}

function outboxes({ services }) {
  const lagging = services.filter((one) => one.outbox_oldest_age_s > OUTBOX_AGE_S_MAX);
  const parked = services.filter((one) => one.outbox_parked);
  return [
    ...lagging.map((one) => ({ id: `outbox-${one.service}`, kind: "bad", title: `The outbox of ${one.service} is not being sent`,
      means: `The oldest waits for ${span(one.outbox_oldest_age_s)}. It is committed, so nothing is lost; everything is late.`,
      act: "Has the broker an alarm of memory or disk?", place: "queues", lead: "Open the services" })),
    ...parked.map((one) => ({ id: `parked-${one.service}`, kind: "bad", title: `${one.service} set ${count(one.outbox_parked, "message", "messages")} aside`,
      means: "They could be routed nowhere or were too large.", act: "Verify the topology; the runbook says how.", place: "queues",
      lead: "Open the services" })),
  ];
}

function late({ levels }) {
  return Object.entries(levels ?? {}).filter(([, told]) => told.is_breached).map(([name, told]) => ({
    id: `level-${name}`, kind: "warn", title: `${percent(1 - told.ratio)} of ${name} documents came late today`,
    means: `Promised: ${percent(told.ratio_min)} within ${span(told.target_s)}.`, act: "Look for what waits longest.",
    place: "queues", lead: "Open the queues" }));
}

export function providerOf(name) {
  const plainName = name.split(".").slice(1).join(".").replace(/^model:/, "");
  return plainName.charAt(0).toUpperCase() + plainName.slice(1);
}

function ageOf(moment) {
  return span((Date.now() - Date.parse(moment)) / 1000);
}
