// Queues and who takes from them: what waits, since when, what is paused and why; and the services
// behind them, with what they owe the broker.

import * as api from "./api.js";
import { Fresh, refill } from "./fresh.js";
import { make, plain } from "./make.js";
import { steerButtons } from "./pausing.js";
import { card, rows } from "./rows.js";
import { span } from "./saying.js";
import { HEALTH, ago, badge, badgeOf, moment, number, pauseWords, rate, titleOfQueue } from "./words.js";

export class Queues {
  name = "Queues";

  constructor(home) {
    this.home = home;
    this.content = make("div", {});
    this.element = make("div", { class: "page" }, make("h1", { id: "title", tabindex: "-1" }, "Queues and services"), this.content);
    this.fresh = new Fresh(home, () => this.#load(), 2000);
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
    const workings = await api.queues();
    return () => refill(this.content, this.#shown(workings));
  }

  #shown({ broker_answers: answers, queues, services, unroutable_ready: ready, unroutable_open: open }) {
    const isSteer = ({ name }) => name.endsWith(".steer");
    const lost = open + (ready ?? 0);
    return [
      answers ? null : make("p", { class: "notice" }, "The broker does not answer, so what waits in it is unknown. Uploads are accepted all the same; nothing is lost."),
      lost ? make("p", { class: "warning" }, `${number(lost)} arrived nowhere. `, make("a", { href: "#failures" }, "Open the failures")) : null,
      card("Work queues", this.#rows(queues.filter((one) => !isSteer(one)))),
      make("details", { "data-key": "steering", class: "card" }, make("summary", {}, "Queues by which operators are heard"),
        this.#rows(queues.filter(isSteer))),
      card("Services", serviceRows(services)),
    ];
  }

  #rows(queues) {
    return rows("Queues", ["Queue", "State", ["Waits", "number"], ["In hand", "number"], ["Taken by", "number"], ["In, out", "number"],
      ["Oldest", "number"], ["Died", "number"], ["Act", "doing"]], queues.map((one) => ({ given: { "data-queue": one.name, "data-health": one.health }, cells: [
      [make("strong", {}, titleOfQueue(one.name)), make("span", { class: "muted message" }, one.name)],
      [badgeOf(HEALTH, one.health), one.pauses.map(pauseOf)],
      number(one.ready), number(one.unacked), one.consumers === null ? null : `${one.consumers} of ${one.consumers_expected}`,
      one.in_per_s === null ? null : `${rate(one.in_per_s)}, ${rate(one.out_per_s) ?? "–"}`,
      one.oldest_age_s ? span(one.oldest_age_s) : null,
      one.dead_open ? make("a", { href: "#failures" }, number(one.dead_open)) : "0",
      steerButtons(this.home, one, () => this.fresh.now()) ?? "",
    ] })), { "data-list": "queues" });
  }
}

function pauseOf(pause) {
  return make("span", { class: "message muted" }, `${pauseWords(pause.reason)}, `, ago(pause.since),
    pause.detail ? `: ${plain(pause.detail)}` : null, pause.ends_at ? [", until ", moment(pause.ends_at)] : null);
}

function serviceRows(services) {
  return rows("Services", ["Service", ["Processes", "number"], "Version", "Outbox", "Heard", "It says"], services.map((one) => [
    make("strong", {}, plain(one.service)), number(one.processes),
    Object.entries(one.builds).map(([build, n]) => `${plain(build)} ×${n}`).join(", "),
    [one.outbox_unsent ? `${number(one.outbox_unsent)} unsent, the oldest ${span(one.outbox_oldest_age_s)}` : "empty",
      one.outbox_parked ? [" ", badge([`${number(one.outbox_parked)} set aside`, "bad"])] : null],
    `${span(one.silent_s)} ago`,
    Object.entries(one.conditions).map(([name, told]) => make("span", { class: "message" }, `${plain(name)}: ${plain(told)}`)),
  ]), { "data-list": "services" });
}
