// One item on the desk: its page beside its form, held by a lease, changed through `Work`,
// decided at the end. Whoever leaves keeps what was typed and gives the item back.

import { lookAhead } from "./ahead.js";
import { Refused, change as sendChange, preview } from "./api.js";
import { banner } from "./banner.js";
import { Blockers } from "./blockers.js";
import { Deciding } from "./deciding.js";
import { others } from "./field.js";
import { Form } from "./form.js";
import { heading } from "./heading.js";
import { leaveNote } from "./late.js";
import { Lease } from "./lease.js";
import { make, fill, plain } from "./make.js";
import { say, toast } from "./notices.js";
import { FIRST_WIDTH, Sheet } from "./sheet.js";
import { joined, refused } from "./refusals.js";
import { onKey, onPaste } from "./typing.js";
import { count, nameFields } from "./words.js";
import { Work } from "./work.js";

const PREVIEW_MS = 300;
const OPEN = new Set(["pending", "in_review"]);

export class Item {
  // How often somebody else's change came between: what was seen is then looked at again.
  conflicts = 0;
  #lease = null;
  #lost = null;
  #hasLeft = false;
  #previewing = null;
  #timer = null;

  // `refusal`: why it could not be claimed, when somebody opened it to look.
  constructor(answer, desk, refusal = null) {
    this.desk = desk;
    this.head = make("div", { class: "item-head" });
    this.notes = make("div", { class: "banners" });
    this.sheet = new Sheet({
      taken: (seen) => this.#take(seen),
      pointed: (where) => this.#pointed(where),
    });
    this.form = new Form(this.#listener());
    this.blockers = new Blockers((path) => this.form.entry(path)?.focus());
    this.deciding = new Deciding(this);
    this.element = make("div", { class: "desk", tabindex: "-1" }, this.sheet.element,
      make("div", { class: "paper" }, this.head, this.notes, this.blockers.element,
        this.form.element, this.deciding.element));
    this.element.addEventListener("keydown", (event) => onKey(event, this));
    this.element.addEventListener("paste", (event) => onPaste(event, this));
    this.element.addEventListener("pointerover", (event) => this.#hovered(event));
    this.work = new Work(answer, {
      updated: () => this.show(),
      saving: () => this.deciding.showSaving(),
      away: (words) => desk.warn(words),
      refused: (error, changes) => refused(this, error, changes),
      conflict: (found) => joined(this, found),
    });
    // That it is in other hands the item says itself.
    if (!this.isMine) this.#lost = refusal?.code === "claimed-by-another" ? null : refusal;
    else this.#lease = new Lease(this.id, (error) => this.lose(error));
  }

  get id() {
    return this.work.id;
  }

  get detail() {
    return this.work.detail;
  }

  get isOpen() {
    return OPEN.has(this.detail.status);
  }

  get isMine() {
    return this.isOpen && this.detail.claimed_by === this.desk.owner;
  }

  get isReadOnly() {
    return !this.isMine || this.#lost !== null;
  }

  start() {
    this.sheet.show(this.detail.pages ?? []);
    this.element.classList.toggle("no-pages", !this.detail.pages?.length);
    this.show();
    const first = this.form.firstDoubtful();
    if (this.isReadOnly) this.desk.focusView();
    else if (first) first.focus();
    else this.deciding.focusApprove();
    say(`${plain(this.detail.filename)}, ${this.#left()}`);
    if (this.isMine) lookAhead(this.id, FIRST_WIDTH);
  }

  show() {
    // An answer that comes late must not speak for the document that is shown by now.
    if (this.#hasLeft) return;
    const { detail } = this;
    this.desk.warn("");
    nameFields(detail.fields);
    this.form.show(detail.fields, this.isReadOnly, (path) => this.work.isPending(path));
    this.blockers.show(detail.blockers ?? [], detail.twins ?? []);
    fill(this.notes, banner(this, this.#lost));
    this.deciding.show();
    this.showDoubts();
  }

  // The page may be about to go, and what it sends then may be late.
  announce() {
    if (this.isReadOnly) return;
    if (this.work.isSaving || this.#unsent().length) leaveNote(this.id, this.work.version);
  }

  // What goes on when the person leaves: typed words are kept, the item is given back.
  leave() {
    clearTimeout(this.#timer);
    this.#previewing?.abort();
    this.#hasLeft = true;
    const unsent = this.isReadOnly ? [] : this.#unsent();
    if (unsent.length || this.work.isSaving) {
      // Behind what is under way, or they would rest on a version that is gone by then.
      if (unsent.length && this.work.isSaving) this.#keep(unsent);
      else if (unsent.length) {
        sendChange(this.id, unsent, this.work.version, true).catch(() => {});
      }
      // Given back too, it could be in other hands before the words arrive.
      this.#lease?.stop();
      return null;
    }
    return this.#lease?.release();
  }

  // Decided or passed on: there is nothing left to give back.
  close() {
    clearTimeout(this.#timer);
    this.#previewing?.abort();
    this.#lease?.stop();
  }

  lose(error) {
    this.#lost = error;
    this.work.refresh().catch(() => this.show());
    this.show();
  }

  hold(answer) {
    this.#lost = null;
    this.work.take(answer);
    this.#lease?.stop();
    this.#lease = new Lease(this.id, (error) => this.lose(error));
    this.start();
  }

  // Enter: what stands here is right. On to the next that needs a look, or to the end.
  accept(entry, step = 1) {
    const changes = entry.accepted();
    if (changes.length) {
      entry.settle();
      this.showDoubts();
      this.#keep(changes);
    }
    const next = this.form.nextDoubtful(entry, step);
    if (next) next.focus();
    else this.deciding.approve();
  }

  pick(entry, at) {
    const candidate = others(entry.field)[at];
    if (!candidate || this.isReadOnly) return;
    entry.fill(candidate.value, candidate.evidence?.[0] ?? null);
    entry.focus();
    say(`${entry.label}: ${plain(candidate.value)}`);
  }

  undo() {
    if (!this.work.canUndo()) return say("There is nothing to undo.");
    this.work.undo().then((isKept) => isKept && say("Undone."), this.desk.failed);
  }

  paste(changes) {
    this.#keep(changes);
    toast(`${count(changes.filter((one) => one.op === "set").length, "cell", "cells")} pasted.`);
  }

  async rows(lines, what, at) {
    if (this.isReadOnly) return;
    // Rows are made anew, so what stands typed goes first: by itself, to be undone by itself.
    const isGone = ({ path }) => what === "remove" && path.startsWith(`${lines.group}.${at}.`);
    const typed = this.#unsent().filter((one) => !isGone(one));
    if (typed.length && !await this.#keep(typed)) return;
    await this.#keep(lines.changes(what, at));
    const row = what === "insert" ? at : what === "duplicate" ? at + 1 : Math.max(0, at - 1);
    (lines.at(row, lines.columns.find((one) => one === "description") ?? lines.columns[0])
      ?? this.form.firstDoubtful())?.focus();
  }

  // What was typed and not yet sent, before something is decided.
  async keepTyped() {
    const unsent = this.#unsent();
    return unsent.length ? this.#keep(unsent) : true;
  }

  #keep(changes) {
    return this.work.change(changes).catch((error) => {
      this.desk.failed(error);
      return false;
    });
  }

  #listener() {
    return {
      entered: (entry) => this.#entered(entry),
      left: (entry) => this.#leftField(entry),
      typed: (entry) => this.#typed(entry),
      picked: (entry, at) => this.pick(entry, at),
      rows: (lines, what, at) => this.rows(lines, what, at),
    };
  }

  #entered(entry) {
    this.form.current = entry;
    this.element.querySelectorAll(".current").forEach((one) => one.classList.remove("current"));
    entry.input.closest(".field, td")?.classList.add("current");
    this.sheet.focusOn(entry.evidence ? [entry.evidence] : entry.field.evidence);
  }

  // A value is kept when its field is left: the server is where drafts live.
  #leftField(entry) {
    const change = this.form.isMoving || this.#hasLeft ? null : entry.change();
    if (!change || this.isReadOnly || entry.error || entry.isSettling) return;
    entry.settle();
    this.#keep([change]);
  }

  #typed(entry) {
    entry.refresh();
    this.form.lines.sums();
    this.form.taxes.sums();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#preview(), PREVIEW_MS);
  }

  async #preview() {
    const changes = this.#unsent();
    if (!changes.length) return;
    this.#previewing?.abort();
    this.#previewing = new AbortController();
    try {
      const { data } = await preview(this.id, changes, this.#previewing.signal);
      this.blockers.show(data.blockers ?? data.findings ?? [], data.twins ?? this.detail.twins ?? []);
    } catch (error) {
      // What cannot be read yet is still being typed; anything else is told when it is kept.
      if (error.name !== "AbortError" && !(error instanceof Refused)) this.desk.failed(error);
    }
  }

  #unsent() {
    return this.form.entries().filter((one) => !one.isSettling).map((one) => one.change())
      .filter(Boolean);
  }

  #take({ text, page, bbox }) {
    const entry = this.form.current;
    if (!entry || this.isReadOnly) return say("Go to a field first, then click a word.");
    entry.fill(text, { page, bbox, text });
    if (document.activeElement !== entry.input) entry.focus();
    this.sheet.focusOn([entry.evidence], true);
    say(`${entry.label}: ${plain(text)}`);
  }

  #hovered(event) {
    const path = event.target.closest?.("[data-field], td")?.querySelector("input")?.dataset.path;
    this.sheet.hover(path ? this.form.entry(path)?.field.evidence : null);
  }

  #pointed(where) {
    this.element.querySelectorAll(".pointed").forEach((one) => one.classList.remove("pointed"));
    if (!where) return;
    const [x, y] = where.at;
    const found = this.form.entries().find(({ field }) => field.evidence?.some(({ page, bbox }) =>
      page === where.page && bbox[0] <= x && x <= bbox[2] && bbox[1] <= y && y <= bbox[3]));
    found?.input.closest(".field, td")?.classList.add("pointed");
  }

  // What is left to check: on the page and in the heading.
  showDoubts() {
    const doubtful = this.form.doubtful();
    this.sheet.doubts(doubtful.flatMap((one) => one.field.evidence ?? []));
    fill(this.head, heading(this.detail, doubtful.length));
  }

  #left() {
    const left = this.form.doubtful().length;
    return left ? `${count(left, "field", "fields")} to check` : "nothing left to check";
  }
}
