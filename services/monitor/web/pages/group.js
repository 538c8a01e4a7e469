// One cause: what it means, how it goes on, what people said of it, its letters, and what can be
// done to all of them at once.

import * as api from "./api.js";
import { Refused } from "./ask.js";
import { sparkline } from "./failures.js";
import { Fresh, refill } from "./fresh.js";
import { letterRows } from "./letters.js";
import { button, fill, make, plain } from "./make.js";
import { say } from "./notices.js";
import { operate } from "./operating.js";
import { question } from "./question.js";
import { meaningOf } from "./reasons.js";
import { card, facts } from "./rows.js";
import { stackOf } from "./stacks.js";
import { toastTrouble } from "./trouble.js";
import { ago, badge, letterCount, moment, number, titleOfQueue, within } from "./words.js";

const PAGE = 25;
const MUTES = [["", "Not muted"], ["3600", "For an hour"], ["86400", "For a day"], ["604800", "For a week"]];

export class Group {
  constructor(home, fingerprint) {
    this.home = home;
    this.fingerprint = fingerprint;
    this.name = "Failure group";
    this.title = make("h1", { id: "title", tabindex: "-1" }, "Failure group");
    this.head = make("div", {});
    this.stack = make("div", {});
    this.letters = make("div", {});
    this.more = button("Show more letters", () => this.#showMore(), { hidden: true, id: "more" });
    this.picked = new Set();
    this.limit = PAGE;
    this.element = make("div", { class: "page" },
      make("p", { class: "trail-back" }, make("a", { href: "#failures" }, "Failures"), " ›"),
      this.title, this.head, this.letters, make("p", { class: "more" }, this.more), this.stack);
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
    const [{ groups }, page] = await Promise.all([
      api.groups(), api.letters(this.fingerprint, this.limit)]);
    const group = groups.find((one) => one.fingerprint === this.fingerprint);
    return () => this.#show(group, page);
  }

  #show(group, { letters, next }) {
    const any = group ?? letters[0];
    const { what, then } = meaningOf(any?.reason ?? "");
    this.title.textContent = any ? what : "No such group";
    this.home.title(this.title.textContent);
    this.group = group;
    refill(this.head, any
      ? [group ? this.#acts(group) : make("p", { class: "all-well" }, "Nothing of it is open any more. Below is what became of its letters."),
        this.#archived(letters), this.#facts(group, any, then), group ? this.#note(group) : null]
      : make("p", {}, "Nothing is known of it. It may have been purged."));
    refill(this.letters, letters.length ? card("Letters", this.#selection(),
      letterRows(letters, this.#mayAct ? { picked: this.picked, changed: () => this.#changed() } : null)) : null);
    this.more.hidden = !next || this.limit >= 200;
    this.#changed();
    if (!this.stack.hasChildNodes() && group) fill(this.stack, stackOf(this.home, group.letter_id));
  }

  get #mayAct() {
    return Boolean(this.group) && (this.home.may("dlq:messages:replay") || this.home.may("dlq:messages:archive"));
  }

  #facts(group, any, then) {
    return card("What it is", facts([
      ["Message", any.message ? make("code", { class: "message" }, plain(any.message)) : null],
      ["What to do", then],
      ["Open letters", group ? make("strong", { id: "group-letters" }, number(group.letters)) : "none"],
      ["Stage", `${titleOfQueue(any.queue ?? any.origin_queue)} (${plain(any.queue ?? any.origin_queue)})`],
      ["Reason", make("code", {}, plain(any.reason))],
      ["Error", any.exception ? make("code", {}, plain(any.exception)) : null],
      ["Type", any.type ? make("code", {}, plain(any.type)) : null],
      ["First, newest", group ? [moment(group.first_at), " – ", moment(group.last_at), " (", ago(group.last_at), ")"] : null],
      ["Last day", group ? sparkline(group.trend) : null],
      ["Fingerprint", this.fingerprint ? make("code", {}, plain(this.fingerprint)) : "none: its letters are told apart by stage and reason"],
    ]));
  }

  #note({ said, muted }) {
    const may = this.home.may("dlq:messages:replay") || this.home.may("dlq:messages:archive");
    if (!this.fingerprint || (!may && !said.version)) return null;
    return card("What people say",
      said.version ? facts([["Comment", said.comment ? plain(said.comment) : null], ["Owner", said.owner ? plain(said.owner) : null],
        ["Muted", muted ? [badge(["Muted", ""]), " until ", moment(said.muted_until)] : null]])
        : make("p", { class: "muted" }, "Nobody has said anything yet."),
      may ? make("p", { class: "acts" }, button("Comment, owner, mute…", () => this.#say(), { "data-act": "note" })) : null);
  }

  #acts(group) {
    const about = `${letterCount(group.letters)}: ${within(meaningOf(group.reason).what)}.`;
    const whole = "Every letter of this group, also those that were dealt with. Prefer to archive.";
    const selector = this.fingerprint ? { fingerprint: this.fingerprint } : { queue: group.queue, reason: group.reason };
    const acts = [
      ["dlq:messages:replay", "replay", "Replay…", "primary small"],
      ["dlq:messages:archive", "archive", "Archive…", "quiet small"],
      ["dlq:messages:purge", "purge", "Purge…", "quiet small"],
    ].filter(([needed]) => this.home.may(needed));
    if (!acts.length) return null;
    return make("p", { class: "acts", role: "group", "aria-label": "All open letters of this group" },
      acts.map(([, kind, words, look]) => button(words, () => operate({ kind, selector, about: kind === "purge" ? whole : about }),
        { kind: look, "data-act": kind })));
  }

  // What was archived is nobody's work any more, and can become it again.
  #archived(letters) {
    const ids = letters.filter((one) => one.state === "archived").map((one) => one.letter_id);
    if (!ids.length || !this.home.may("dlq:messages:archive")) return null;
    const about = `The ${letterCount(ids.length)} of this group that are archived and listed below.`;
    return make("p", { class: "acts" }, button("Take out of the archive…", () => operate({ kind: "unarchive", selector: { ids }, about }),
      { "data-act": "unarchive" }));
  }

  #selection() {
    if (!this.#mayAct) return null;
    this.count = make("span", {});
    this.bar = make("p", { class: "acts picked", hidden: true }, this.count,
      this.home.may("dlq:messages:replay") ? button("Replay these…", () => this.#withPicked("replay"), { "data-act": "replay-picked" }) : null,
      this.home.may("dlq:messages:archive") ? button("Archive these…", () => this.#withPicked("archive"), { "data-act": "archive-picked" }) : null);
    return this.bar;
  }

  #changed() {
    if (!this.bar) return;
    this.bar.hidden = this.picked.size === 0;
    this.count.textContent = `${letterCount(this.picked.size)} chosen`;
  }

  #withPicked(kind) {
    const ids = [...this.picked];
    operate({ kind, selector: { ids }, about: `The ${letterCount(ids.length)} that you chose.` });
  }

  #showMore() {
    this.limit = Math.min(200, this.limit + PAGE * 3);
    return this.fresh.now();
  }

  async #say() {
    try {
      const { data, version } = await api.said(this.fingerprint);
      const answer = await question({
        title: "What you say of this group",
        about: "Everybody sees it, and it stays on record. Muted, it raises no alert; its letters are kept all the same.",
        fields: [
          { name: "comment", label: "Comment", kind: "long", optional: true, value: data.comment },
          { name: "owner", label: "Owner: who looks after it", kind: "text", optional: true, value: data.owner ?? "" },
          { name: "mute", label: "Mute", kind: "pick", optional: true, options: data.muted_until
            ? [["keep", "As it is"], ...MUTES] : MUTES },
        ],
        submit: "Save",
      });
      if (!answer) return;
      const until = answer.mute === "keep" ? data.muted_until
        : answer.mute ? new Date(Date.now() + 1000 * Number(answer.mute)).toISOString() : null;
      await api.say(this.fingerprint, { comment: answer.comment ?? "", owner: answer.owner ?? null, muted_until: until }, version);
      say("Saved.");
      await this.fresh.now();
    } catch (error) {
      if (error instanceof Refused) toastTrouble(error);
      else this.home.failed(error);
    }
  }
}
