// One letter: where it failed and why, what was tried, what became of it, and what can be done.

import * as api from "./api.js";
import { Refused } from "./ask.js";
import { mend } from "./editing.js";
import { Fresh, refill } from "./fresh.js";
import { short } from "./letters.js";
import { button, fill, make, plain } from "./make.js";
import { say, toast } from "./notices.js";
import { question } from "./question.js";
import { meaningOf } from "./reasons.js";
import { card, facts } from "./rows.js";
import { controlled, stackOf } from "./stacks.js";
import { toastTrouble, told } from "./trouble.js";
import { LETTERS, OUTCOMES, badgeOf, groupPlace, moment, number, titleOfQueue, trace } from "./words.js";

export class Letter {
  constructor(home, id) {
    this.home = home;
    this.id = id;
    this.name = "Letter";
    this.back = make("p", { class: "trail-back" }, make("a", { href: "#failures" }, "Failures"), " ›");
    this.content = make("div", {});
    this.payload = make("div", { "aria-live": "polite" });
    // What is looked into only on demand, once there is something.
    this.inside = make("div", {});
    this.element = make("div", { class: "page" }, this.back,
      make("h1", { id: "title", tabindex: "-1" }, `Letter ${short(id)}`),
      this.content, this.inside);
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
    const { data, version } = await api.letter(this.id);
    const replay = data.replay_id ? await api.replay(data.replay_id) : null;
    return () => this.#show(data, version, replay);
  }

  #show(letter, version, replay) {
    this.version = version;
    if (!this.inside.hasChildNodes()) fill(this.inside, this.#payloadCard(), stackOf(this.home, this.id));
    const { what, then } = meaningOf(letter.reason);
    fill(this.back, make("a", { href: "#failures" }, "Failures"), " › ",
      make("a", { href: groupPlace(letter.fingerprint) }, what), " ›");
    refill(this.content,
      make("p", { class: "chips" }, badgeOf(LETTERS, letter.state),
        letter.outcome ? make("span", { class: "muted" }, OUTCOMES[letter.outcome]?.[0] ?? plain(letter.outcome)) : null),
      this.#acts(letter),
      card("What it is", facts([
        ["Why", what],
        ["Message", letter.message ? make("code", { class: "message" }, plain(letter.message)) : null],
        ["What to do", letter.state === "open" ? then : null],
        ["Stage", `${titleOfQueue(letter.origin_queue)} (${plain(letter.origin_queue)})`],
        ["Error", letter.exception ? make("code", {}, plain(letter.exception)) : null],
        ["Type", letter.type ? make("code", {}, plain(letter.type)) : "unreadable"],
        ["Attempts", `${number(letter.attempts)}${letter.run ? `, in run ${letter.run}` : ""}`],
        ["First failed", moment(letter.first_failed_at)],
        ["Last failed", moment(letter.last_failed_at)],
        ["Kept since", moment(letter.arrived_at)],
        ["Document", letter.document_id ? make("a", { href: `#document/${letter.document_id}` }, "Its timeline") : null],
        ["Owner", letter.owner_id ? plain(letter.owner_id) : null],
        ["Job", letter.job_id ? make("code", {}, plain(letter.job_id)) : null],
        ["Mended as job", letter.superseded_by ? make("code", {}, plain(letter.superseded_by)) : null],
        ["Trace", trace(letter.trace_id)],
      ])),
      replay ? replayCard(replay) : null);
  }

  #acts(letter) {
    if (letter.state !== "open" || !letter.job_id) return null;
    const acts = [];
    if (this.home.may("dlq:messages:replay")) {
      acts.push(button("Replay this letter…", () => this.#replay(), { kind: "primary small", "data-act": "replay" }));
    }
    if (this.home.may("dlq:messages:edit") && this.home.may("dlq:payload:view")) {
      acts.push(button("Edit and replay…", () => this.#mend(), { "data-act": "edit" }));
    }
    return acts.length ? make("p", { class: "acts", role: "group", "aria-label": "This letter" }, acts) : null;
  }

  async #replay() {
    const said = await question({ title: "Replay this letter",
      about: "It goes back to the queue where it failed, as the first attempt of a new run. What is done already stays done.",
      fields: [{ name: "reason", label: "Reason", kind: "long", help: "Why it should work now. It stays on record." }], submit: "Replay" });
    if (!said) return;
    await this.#do(() => api.replayLetter(this.id, said.reason), "It is on its way.");
  }

  async #mend() {
    try {
      if (await mend(this.id, this.version)) say("The mended message is on its way.");
      await this.fresh.now();
    } catch (error) {
      this.home.failed(error);
    }
  }

  async #do(act, words) {
    try {
      await act();
      toast(words);
    } catch (error) {
      if (error instanceof Refused) toastTrouble(error);
      else return this.home.failed(error);
    }
    return this.fresh.now();
  }

  #payloadCard() {
    if (!this.home.may("dlq:payload:view")) return null;
    return card("Payload", make("p", { class: "muted" }, "What a customer sent may stand in it. That you look is recorded."),
      make("p", { class: "acts" }, button("Show the payload", () => this.#showPayload(), { "data-act": "payload" })), this.payload);
  }

  async #showPayload() {
    try {
      const { body, encoding, headers, content_type: type } = await api.payload(this.id);
      fill(this.payload,
        make("p", { class: "muted" }, `${plain(type)}, ${encoding === "base64" ? "no text: as base64" : "text"}`),
        make("pre", { class: "code", tabindex: "0", role: "region", "aria-label": "Payload" }, controlled(pretty(body))),
        make("details", {}, make("summary", {}, "Headers"),
          facts(Object.entries(headers).map(([name, value]) => [plain(name), make("code", { class: "message" }, plain(value))]))));
    } catch (error) {
      fill(this.payload, make("p", { class: "error", role: "alert" }, told(error)));
    }
  }
}

function replayCard(replay) {
  return card("Its replay", facts([
    ["State", replay.state === "running" ? badgeOf(OUTCOMES, "sent") : badgeOf(OUTCOMES, replay.outcome)],
    ["Asked by", plain(replay.requested_by)], ["Reason", plain(replay.reason)],
    ["Asked", moment(replay.requested_at)], ["Ended", moment(replay.settled_at)],
  ]));
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
