// What becomes of the item: approved, or one of the other ways. Each goes with the version the
// person saw; after each comes the next document, and for a while the way back.

import { Refused, act } from "./api.js";
import * as dialogs from "./dialogs.js";
import { askWhom, givenTo } from "./giving.js";
import { button, fill, make, plain } from "./make.js";
import { say, toast } from "./notices.js";
import { showTrail } from "./trail.js";
import { count, told } from "./words.js";

const UNDO_MS = 30_000;
const DONE = {
  approve: "approved", reject: "rejected", postpone: "postponed", escalate: "passed on",
  reextract: "sent to be read again", duplicate: "marked as a duplicate", split: "split",
};
const SHOWN = [["reject", "Reject…"], ["postpone", "Postpone…"]];
const MORE = [
  ["escalate", "Escalate…"], ["assign", "Give to somebody…"], ["duplicate", "Mark as a duplicate…"],
  ["reextract", "Have it read again…"], ["split", "Split…"],
];

export class Deciding {
  isWaiting = false;
  // A question is open, or what it needs to know is on its way: pressed again, it is one still.
  #isAsking = false;
  // Which buttons stand there: they are made anew only when it is others, or what somebody is about
  // to press would be gone from under the finger whenever the item is looked at again.
  #standing = null;

  constructor(item) {
    this.item = item;
    this.saving = make("span", { class: "saving muted", role: "status" });
    this.approving = button([make("span", {}, "Approve"), make("kbd", {}, "Ctrl ⏎")],
      () => this.approve(), { kind: "primary approve" });
    // Two persons are asked for, and this one was the first: it stands there and says so.
    this.another = make("span", { id: "needs-another", class: "needs-another", hidden: true });
    this.acts = make("div", { class: "acts" });
    this.element = make("div", { class: "decide" }, this.approving, this.another, this.acts,
      this.saving);
  }

  show() {
    const { item } = this;
    const { actions } = item.detail;
    const may = (what) => actions.includes(what);
    this.approving.hidden = item.isReadOnly || !(may("approve") || item.detail.needs_another);
    this.#showAnother(item.detail.needs_another);
    const allowed = (all) => item.isReadOnly ? []
      : all.filter(([what]) => may(what) && this.#fits(what));
    const [shown, more] = [allowed(SHOWN), allowed(MORE)];
    const canReopen = !item.isOpen && item.detail.status !== "withdrawn"
      && actions.includes("reopen");
    const standing = [...shown, ...more].map(([what]) => what).join(" ") + (canReopen ? " reopen" : "");
    if (standing !== this.#standing) {
      fill(this.acts,
        shown.map((one) => this.#button(one)),
        more.length ? menu("More",
          [...more.map((one) => this.#button(one, "item")), this.#lookingBack("item")]) : null,
        canReopen ? button("Reopen…", () => this.#reopen()) : null,
        more.length ? null : this.#lookingBack());
      this.#standing = standing;
    }
    this.element.hidden = this.approving.hidden && !this.acts.children.length;
  }

  // Not `disabled`: nobody could reach it with Tab to hear why.
  #showAnother(why) {
    this.another.textContent = why ?? "";
    this.another.hidden = this.approving.hidden || !why;
    this.approving.ariaDisabled = why ? "true" : null;
    if (why) this.approving.setAttribute("aria-describedby", this.another.id);
    else this.approving.removeAttribute("aria-describedby");
  }

  #lookingBack(kind = "quiet small") {
    const { desk } = this.item;
    const may = desk.may("audit:all:read") || desk.may("audit:own:read");
    return may ? button("History…", () => this.#showTrail(), { kind }) : null;
  }

  async #showTrail() {
    try {
      await showTrail(this.item);
    } catch (error) {
      this.#failed(error);
    }
  }

  #button([what, words], kind = "quiet small") {
    return button(words, () => this.#ask(what), { kind, "data-act": what });
  }

  #fits(what) {
    return what !== "split" || (this.item.detail.pages?.length ?? 0) > 1;
  }

  showSaving() {
    this.saving.textContent = this.item.work.isSaving ? "Saving…" : "Saved";
  }

  focusApprove() {
    // It stands at the bottom whatever is scrolled to.
    this.approving.focus({ preventScroll: true });
  }

  async approve() {
    const { item } = this;
    if (item.isReadOnly || this.isWaiting) return;
    this.isWaiting = true;
    try {
      const before = item.conflicts;
      if (!await item.keepTyped()) return;
      await item.work.settled();
      // The hold on it ended, or somebody else's change came between.
      if (item.isReadOnly) return;
      if (item.detail.needs_another) {
        say(item.detail.needs_another);
        toast(item.detail.needs_another, { kind: "bad", forMs: 10_000 });
        return;
      }
      if (item.conflicts !== before) {
        say("Please look again before you approve.");
        return;
      }
      const body = await this.#sureOf();
      if (!body) return;
      await this.#decide("approve", body).catch((error) => {
        if (error.code !== "blocked" || body.override) throw error;
        return this.#approveAllTheSame(error);
      });
    } catch (error) {
      this.#failed(error);
    } finally {
      this.isWaiting = false;
    }
  }

  // The body of the approval: with a reason when something still speaks against it.
  async #sureOf() {
    const { item } = this;
    const left = item.form.doubtful();
    const blocking = (item.detail.blockers ?? []).filter((one) => one.severity === "block");
    if (!left.length && !blocking.length) return {};
    const wrong = left.find((one) => one.error);
    if (wrong) {
      wrong.focus();
      return null;
    }
    const unchecked = left.length ? `${count(left.length, "field has", "fields have")} not been checked: `
      + left.slice(0, 6).map((one) => one.input.ariaLabel ?? one.label).join(", ")
      + (left.length > 6 ? " …" : "") : null;
    const body = await overridden(blocking.map((one) => one.detail || one.code), unchecked);
    if (!body) left[0]?.focus();
    return body;
  }

  // The server knows of something that blocks and that was not shown.
  async #approveAllTheSame(error) {
    const why = (error.problem.errors ?? []).map((one) => one.detail).filter(Boolean);
    const body = await overridden(why.length ? why : [error.message], null);
    if (body) await this.#decide("approve", body);
  }

  async #ask(what) {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      await this.#askAndDo(what);
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#isAsking = false;
    }
  }

  async #askAndDo(what) {
    const { item } = this;
    const asked = {
      reject: () => dialogs.rejection(),
      postpone: () => dialogs.postponement(),
      escalate: () => dialogs.escalation(item.detail.level ?? 1),
      duplicate: () => dialogs.duplication(item.detail.twins ?? []),
      assign: () => askWhom({ level: item.detail.level, giver: item.desk.owner,
        butNot: item.desk.owner }),
      reextract: () => dialogs.reextraction(item.detail.engines, item.detail.pages.length > 0),
      split: () => dialogs.splitting(item.detail.pages.length),
    };
    const body = await asked[what]();
    if (!body) return;
    await item.keepTyped();
    await this.#decide(what, body);
  }

  async #decide(what, body) {
    const { item } = this;
    const answer = await item.work.decide(what, body);
    item.close();
    const name = plain(item.detail.filename);
    const canUndo = answer.data.actions.includes("undo");
    toast(`${name} ${what === "assign" ? givenTo(body) : DONE[what]}.`, canUndo
      ? { act: () => this.#undo(answer.version), label: "Undo", forMs: UNDO_MS, kind: "good" } : {});
    await item.desk.next();
  }

  async #undo(version) {
    const { item } = this;
    try {
      await act(item.id, "reopen", { version, body: { reason: "Undone right after it was decided.", undo: true } });
      item.desk.open(item.id);
    } catch (error) {
      item.desk.failed(error);
    }
  }

  async #reopen() {
    const said = await dialogs.reopening();
    if (!said) return;
    try {
      await this.item.work.decide("reopen", said);
      this.item.desk.open(this.item.id);
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error) {
    const { item } = this;
    if (!(error instanceof Refused)) return item.desk.failed(error);
    if (error.code === "lease-lost" || error.code === "claimed-by-another") return item.lose(error);
    say(error.message);
    toast(error.message, { kind: "bad", forMs: 10_000 });
    // Changed since it was looked at, or something blocks: what is true now is shown.
    return item.work.refresh().catch((other) => item.desk.failed(other));
  }
}

// The body of an approval against what speaks against it; null when the person thought better.
async function overridden(blocking, unchecked) {
  const content = make("ul", { class: "against" },
    [...new Set(blocking)].map((one) => make("li", { class: "bad" }, told(one))),
    unchecked ? make("li", {}, unchecked) : null);
  const said = await dialogs.override(content);
  return said && { override: said.reason };
}

// Closes when somebody goes elsewhere, and with Esc.
function menu(words, acts) {
  const summary = make("summary", { class: "quiet small" }, words);
  const shown = make("details", { class: "menu" }, summary, make("div", { class: "menu-items" }, acts));
  const close = () => { shown.open = false; };
  shown.addEventListener("click", (event) => event.target.closest(".menu-items") && close());
  shown.addEventListener("focusout", (event) => {
    if (!shown.contains(event.relatedTarget)) close();
  });
  shown.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !shown.open) return;
    event.stopPropagation();
    close();
    summary.focus();
  });
  return shown;
}
