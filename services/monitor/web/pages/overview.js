// The first page: is anything wrong, in one sentence; then each trouble with what to do; then how
// all stands, in the same order every time.

import * as api from "./api.js";
import { Fresh, refill } from "./fresh.js";
import { groupRows } from "./failures.js";
import { make, plain } from "./make.js";
import { steerButtons } from "./pausing.js";
import { card, facts, good, rows, tiles } from "./rows.js";
import { percent, span } from "./saying.js";
import { breakerOf, providerOf, sentenceOf, troublesOf } from "./verdict.js";
import { HEALTH, ago, badge, badgeOf, moment, number, pauseWords, titleOfQueue } from "./words.js";

const EVERY_MS = 4000;
const FLIGHT = ["queued", "processing"];
const ENDS = ["completed", "duplicate", "failed", "cancelled"];

export class Overview {
  name = "Overview";

  constructor(home) {
    this.home = home;
    this.sentence = make("p", { id: "verdict", class: "verdict", role: "status", "aria-live": "polite" }, "Looking…");
    this.troubles = make("div", { id: "troubles", class: "troubles" });
    this.content = make("div", {});
    this.element = make("div", { class: "page" }, make("h1", { id: "title", tabindex: "-1" }, "Overview"),
      this.sentence, this.troubles, this.content);
    this.fresh = new Fresh(home, () => this.#load(), EVERY_MS);
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
    const [overview, workings] = await Promise.all([api.overview(), api.queues()]);
    return () => this.#show(overview, workings);
  }

  #show(overview, workings) {
    const troubles = troublesOf(overview, workings);
    const { kind, words } = sentenceOf(troubles);
    // Said anew only when it says something else.
    if (this.sentence.textContent !== words) this.sentence.textContent = words;
    this.sentence.className = `verdict ${kind}`;
    refill(this.troubles, troubles.map((one) => this.#trouble(one, workings)));
    refill(this.content, make("div", { class: "columns" },
      make("div", {}, documents(overview, workings), this.#switches(workings), providers(overview), services(overview)),
      make("div", {}, failures(overview), promises(overview), levels(overview))));
  }

  #trouble(one, workings) {
    const queue = workings.queues.find(({ name }) => name === one.queue);
    return make("article", { class: `trouble ${one.kind}`, "data-trouble": one.id },
      make("h2", {}, plain(one.title)),
      make("p", {}, plain(one.means)),
      one.act ? make("p", {}, make("strong", {}, "What to do: "), plain(one.act)) : null,
      make("p", { class: "acts" },
        one.place ? make("a", { href: `#${one.place}`, class: "button quiet small" }, one.lead) : null,
        queue ? steerButtons(this.home, queue, () => this.fresh.now()) : null));
  }

  // Where each stage can be stopped by hand, and what is stopped now.
  #switches({ queues }) {
    const stages = queues.filter((one) => one.pauses.length || ["extractor.extract", "storage.store"].includes(one.name));
    const unwell = queues.filter((one) => ["stalled", "missing"].includes(one.health) && !stages.includes(one));
    return card("Stages and switches",
      rows("Stages, and what is paused", ["Stage", "State", ["Waits", "number"], ["Act", "doing"]], [...stages, ...unwell.slice(0, 5)].map((one) => [
        make("a", { href: "#queues" }, titleOfQueue(one.name)),
        [badgeOf(HEALTH, one.health), one.pauses.length ? make("span", { class: "muted" }, ` ${pauseWords(one.pauses[0].reason)}, `,
          ago(one.pauses[0].since)) : null],
        number(one.ready),
        steerButtons(this.home, one, () => this.fresh.now()) ?? "",
      ]), { "data-list": "stages" }),
      make("p", {}, make("a", { href: "#queues" }, "All queues")));
  }
}

function documents({ documents: by, violations }, { queues }) {
  const sum = (names) => names.reduce((total, name) => total + (by[name] ?? 0), 0);
  const oldest = Math.max(0, ...queues.map((one) => one.oldest_age_s ?? 0));
  const stuck = violations?.forgotten ?? null;
  const flight = sum(FLIGHT);
  return card("Documents", tiles([
    ["In flight", number(flight), "", "flight"],
    ["Oldest waits", flight ? span(oldest) : "–", oldest > 300 && flight ? "warn" : ""],
    ["Stuck", stuck === null ? "–" : number(stuck), stuck ? "bad" : "", "stuck"],
    ["Failed", number(by.failed ?? 0), "", "failed"],
  ]), make("p", { class: "muted" }, ENDS.filter((name) => by[name]).map((name) => `${number(by[name])} ${name}`).join(" · ")
    || "No document has ended yet."));
}

function failures({ groups, dead_letters: dead, running_replays: running }) {
  return card("Open failures",
    dead.open ? groupRows(groups, { isBrief: true }) : good("Nothing has failed for good."),
    running ? make("p", { class: "muted" }, `${number(running)} on their way back now.`) : null,
    make("p", {}, make("a", { href: "#failures" }, "All failure groups")));
}

function promises({ violations }) {
  if (!violations) return card("Nothing lost", make("p", { class: "muted" }, "Not checked yet; it is checked every five minutes."));
  const broken = Object.entries(violations).filter(([, total]) => total);
  return card("Nothing lost",
    broken.length ? make("p", { class: "error" }, `Broken: ${broken.map(([name, total]) => `${name.replaceAll("_", " ")} (${total})`).join(", ")}`)
      : good(`All ${Object.keys(violations).length} promises hold: nothing is lost, nothing is doubled.`),
    make("p", {}, make("a", { href: "#proof" }, "The proof, and its export")));
}

function levels({ levels: told }) {
  if (!told) return card("Service levels", make("p", { class: "muted" }, "Not checked yet; they are checked every five minutes."));
  return card("Service levels", rows("How many came in time, of the last day", ["Class", "Promised", "In time", "Due", "So far"],
    Object.entries(told).sort(([, one], [, other]) => one.target_s - other.target_s).map(([name, one]) => [
      make("strong", {}, plain(name)), `${percent(one.ratio_min)} in ${span(one.target_s)}`,
      one.due ? percent(one.ratio) : "–",
      `${number(one.due)}${one.excused ? `, ${number(one.excused)} waited for a provider` : ""}`,
      badge(one.is_breached ? ["Breached", "bad"] : ["Kept", "good"]),
    ]), { isTight: true }));
}

function providers({ services: all }) {
  const told = all.flatMap(({ conditions }) => Object.entries(conditions));
  return card("Providers and rates", told.length
    ? facts(told.map(([name, words]) => [`${name.startsWith("rate.") ? "Rate" : "Breaker"} of ${plain(providerOf(name))}`,
      name.startsWith("breaker.") ? breakerWords(words) : plain(words)]))
    : make("p", { class: "muted" }, "No provider outside was asked yet: our own engines read."));
}

function breakerWords(told) {
  const { state, reason, since } = breakerOf(told);
  return [badge([plain(state), state === "closed" ? "good" : "warn"]), reason ? ` ${plain(reason)}` : null,
    since ? [" since ", moment(since)] : null];
}

function services({ services: all }) {
  return card("Services", rows("Services, their processes and outboxes", ["Service", "Processes", "Version", "Outbox", "Silent"], all.map((one) => [
    make("strong", {}, plain(one.service)), number(one.processes),
    make("span", { class: Object.keys(one.builds).length > 1 ? "warn-words" : "" },
      Object.entries(one.builds).map(([build, n]) => Object.keys(one.builds).length > 1 ? `${plain(build)} ×${n}` : plain(build)).join(", ")),
    one.outbox_parked ? badge([`${number(one.outbox_parked)} set aside`, "bad"])
      : one.outbox_unsent ? `${number(one.outbox_unsent)} unsent, ${span(one.outbox_oldest_age_s)}` : "empty",
    span(one.silent_s),
  ]), { isTight: true }));
}
