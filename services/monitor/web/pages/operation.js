// One operation: how far it is, as it happens; what became of its letters; and stopping it.

import * as api from "./api.js";
import { Following, isOver } from "./following.js";
import { refill } from "./fresh.js";
import { short } from "./letters.js";
import { button, fill, make, plain } from "./make.js";
import { say } from "./notices.js";
import { outcomeWords, progressOf, selectorWords } from "./operations.js";
import { question } from "./question.js";
import { card, facts, rows, tiles } from "./rows.js";
import { span } from "./saying.js";
import { toastTrouble } from "./trouble.js";
import { KINDS, OPERATIONS, OUTCOMES, badgeOf, letterCount, moment, number } from "./words.js";

const NEEDED = { replay: "dlq:messages:replay", archive: "dlq:messages:archive", unarchive: "dlq:messages:archive", purge: "dlq:messages:purge" };
const WAYS = { live: "Live", reconnecting: "Connecting again…", asking: "Asked every two seconds" };
const BECAUSE = {
  canary: "The first went alone. Look below what became of them: resume if they succeeded, cancel if not.",
  failing: "Its steps failed again and again. Nothing was sent twice. Mend the cause, then resume it.",
  asked: "Somebody paused it.",
};
const FILTERS = ["", "refailed", "skipped", "done", "sent", "waiting"];
const ITEMS = 50;

export class OneOperation {
  #shown = null;
  #outcome = "";

  constructor(home, id) {
    this.home = home;
    this.id = id;
    this.name = "Operation";
    this.title = make("h1", { id: "title", tabindex: "-1" }, "Operation");
    this.sentence = make("p", { id: "progress-words", class: "progress-words", role: "status", "aria-live": "polite" });
    this.head = make("div", {});
    this.wayWords = make("span", { class: "muted way", "data-way": "" });
    this.items = make("div", {});
    this.filter = make("select", { id: "outcome", on: { change: () => this.#filtered() } }, FILTERS.map((one) =>
      make("option", { value: one }, one ? OUTCOMES[one][0] : "All")));
    this.element = make("div", { class: "page" },
      make("p", { class: "trail-back" }, make("a", { href: "#operations" }, "Operations"), " ›"),
      this.title, this.sentence, this.head,
      card("Its letters", make("p", { class: "line" }, make("label", { for: "outcome", class: "inline" }, "Show"), this.filter,
        button("Look again", () => this.#loadItems(), { "data-act": "items" })), this.items));
    this.following = new Following(id, {
      show: (operation) => this.#show(operation),
      way: (way) => {
        this.wayWords.textContent = WAYS[way];
        this.wayWords.dataset.way = way;
      },
      failed: (error) => home.failed(error, { isLook: true }),
    });
  }

  start() {
    this.following.start();
    return this.#loadItems();
  }

  again() {
    return this.#loadItems();
  }

  leave() {
    this.following.stop();
  }

  #show(one) {
    const before = this.#shown;
    this.#shown = one;
    this.home.well();
    this.title.textContent = `${KINDS[one.kind]} ${letterCount(one.total)}`;
    this.home.title(this.title.textContent);
    const words = sentenceOf(one);
    if (this.sentence.textContent !== words) this.sentence.textContent = words;
    refill(this.head, make("p", { class: "chips", "data-state": one.state }, badgeOf(OPERATIONS, one.state),
      isOver(one) ? make("span", { class: "muted" }, "Every letter has come to its end.") : this.wayWords),
      progressOf(one), this.#acts(one),
      one.error ? make("p", { class: "error" }, `${number(one.failures)} steps in a row failed: ${plain(one.error)}`) : null,
      tiles(outcomes(one)), card("What was asked", facts([
        ["Which letters", selectorWords(one.selector)], ["Reason", plain(one.reason)], ["Asked by", plain(one.requested_by)],
        ["Asked", moment(one.requested_at)], ["Ended", moment(one.ended_at)],
        ["Pace", one.kind === "replay" ? `${number(one.rate_per_s)} a second, at most ${number(one.in_flight_max)} on their way`
          + (one.canary ? `, the first ${number(one.canary)} alone` : "") : null],
      ])));
    // Its letters are looked at anew when it stood still or ended.
    if (before && (before.state !== one.state || (isOver(one) && !isOver(before)))) this.#loadItems();
  }

  #acts(one) {
    if (!this.home.may(NEEDED[one.kind])) return null;
    const isPaused = one.state === "paused";
    const acts = [];
    if (isPaused) acts.push(button("Resume", () => this.#steer("resume"), { kind: "primary small", "data-act": "resume" }));
    if (["running", "preparing"].includes(one.state)) acts.push(button("Pause", () => this.#steer("pause"), { "data-act": "pause" }));
    if (one.kind === "replay" && (isPaused || one.state === "running")) acts.push(button("Change pace…", () => this.#pace(), { "data-act": "pace" }));
    if (isPaused || ["running", "preparing"].includes(one.state)) acts.push(button("Cancel…", () => this.#cancel(), { "data-act": "cancel" }));
    return acts.length ? make("p", { class: "acts", role: "group", "aria-label": "This operation" }, acts) : null;
  }

  #steer(what) {
    return this.#do(() => api.steer(this.id, what, this.#shown.version));
  }

  async #cancel() {
    const said = await question({ title: "Cancel the operation?", fields: [],
      about: "Nothing more is sent, for good. What was sent stays sent and is followed to its end.", submit: "Cancel it", danger: true });
    if (said) await this.#steer("cancel");
  }

  async #pace() {
    const { rate_per_s: rate, in_flight_max: most } = this.#shown;
    const said = await question({ title: "Change the pace", fields: [
      { name: "rate", label: "Letters per second", kind: "number", value: String(rate), given: { min: 0.1, max: 5000, step: "any" },
        check: (text) => Number(text) > 0 ? "" : "More than 0." },
      { name: "most", label: "On their way at once, at most", kind: "number", value: String(most), given: { min: 1, max: 100_000, step: 1 },
        check: (text) => Number(text) >= 1 ? "" : "At least 1." }], submit: "Change" });
    if (said) await this.#do(() => api.pace(this.id, { rate_per_s: Number(said.rate), in_flight_max: Number(said.most) }, this.#shown.version));
  }

  // It moves while a person thinks: then what was seen is old, and it is asked for once more.
  async #do(act) {
    for (let tries = 3; ; tries -= 1) {
      try {
        this.#show(await act());
        return say(sentenceOf(this.#shown));
      } catch (error) {
        if (!(error instanceof api.Refused)) return this.home.failed(error);
        if (error.status !== 412 || tries <= 1) return toastTrouble(error);
        this.#show(await api.operation(this.id));
      }
    }
  }

  #filtered() {
    this.#outcome = this.filter.value;
    return this.#loadItems();
  }

  async #loadItems() {
    try {
      const { items, next_after: more } = await api.items(this.id, { outcome: this.#outcome, limit: ITEMS });
      fill(this.items, items.length ? itemRows(items) : make("p", { class: "muted" }, "None."),
        more === null ? null : make("p", { class: "muted" }, `The first ${ITEMS} of them.`));
    } catch (error) {
      this.home.failed(error);
    }
  }
}

function sentenceOf(one) {
  const said = `${OPERATIONS[one.state][0]}: ${number(one.sent + one.skipped + one.applied)} of ${number(one.total)}. ${outcomeWords(one)}.`;
  if (one.state === "paused") return `${said} ${BECAUSE[one.paused_because] ?? ""}`.trim();
  return one.eta_s ? `${said} About ${span(one.eta_s)} left.` : said;
}

function outcomes(one) {
  if (one.kind !== "replay") return [["Letters", number(one.total), "", "total"], ["Done", number(one.applied), "", "applied"], ["Skipped", number(one.skipped), "", "skipped"]];
  return [
    ["Letters", number(one.total), "", "total"], ["Sent", number(one.sent), "", "sent"], ["On their way", number(one.in_flight), "", "in-flight"],
    ["Succeeded", number(one.done), one.done ? "good" : "", "done"], ["Failed again", number(one.refailed), one.refailed ? "bad" : "", "refailed"],
    ["Was done already", number(one.already_applied), "", "already-applied"], ["Withdrawn", number(one.withdrawn), "", "withdrawn"],
    ["Skipped", number(one.skipped), one.skipped ? "warn" : "", "skipped"],
  ];
}

function itemRows(items) {
  return rows("Its letters, in the order in which they go", [["#", "number"], "Letter", "Outcome", "Ended"], items.map((one) => [
    number(one.position), make("a", { href: `#letter/${one.letter_id}` }, make("code", {}, short(one.letter_id))),
    [badgeOf(OUTCOMES, one.outcome), one.detail ? make("span", { class: "muted" }, ` ${plain(one.detail).replaceAll("_", " ")}`) : null],
    moment(one.settled_at),
  ]), { "data-list": "items" });
}
