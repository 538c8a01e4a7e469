// What was asked for over many letters: what runs, and what became of what ran before.

import * as api from "./api.js";
import { Fresh, refill } from "./fresh.js";
import { button, make, plain } from "./make.js";
import { meaningOf } from "./reasons.js";
import { good, rows } from "./rows.js";
import { KINDS, OPERATIONS, ago, badgeOf, letterCount, number, titleOfQueue, within } from "./words.js";

const PAGE = 25;
const PAGE_MAX = 200;

export class Operations {
  name = "Operations";

  constructor(home) {
    this.limit = PAGE;
    this.content = make("div", {});
    this.more = button("Show more", () => this.#showMore(), { hidden: true });
    this.element = make("div", { class: "page" }, make("h1", { id: "title", tabindex: "-1" }, "Operations"),
      make("p", { class: "muted" }, "Replays, archivings and purges over many letters, the latest first. They begin at a failure group."),
      this.content, make("p", { class: "more" }, this.more));
    this.fresh = new Fresh(home, () => this.#load(), 3000);
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
    const { operations, next } = await api.operations({ limit: this.limit });
    return () => {
      this.more.hidden = !next || this.limit >= PAGE_MAX;
      refill(this.content, operations.length ? operationRows(operations)
        : good("None yet. When something fails, replay it from its failure group."));
    };
  }

  #showMore() {
    this.limit = Math.min(PAGE_MAX, this.limit * 2);
    return this.fresh.now();
  }
}

function operationRows(operations) {
  return rows("Operations, the latest first", ["What", "State", "Progress", "Why", "Asked"], operations.map((one) => ({
    given: { "data-operation": one.operation_id }, cells: [
      [make("a", { href: `#operation/${one.operation_id}`, class: "row-link" }, `${KINDS[one.kind]} ${letterCount(one.total)}`),
        make("span", { class: "muted message" }, selectorWords(one.selector))],
      badgeOf(OPERATIONS, one.state), [progressOf(one), make("span", { class: "muted" }, outcomeWords(one))],
      make("span", { class: "message" }, plain(one.reason)), [plain(one.requested_by), " ", make("span", { class: "muted" }, ago(one.requested_at))],
    ] })), { "data-list": "operations" });
}

export function progressOf(one) {
  const bar = make("progress", { max: 100, "aria-label": `${one.progress} percent` });
  bar.value = one.progress;
  return bar;
}

export function outcomeWords(one) {
  const said = [[one.done + one.already_applied, "succeeded"], [one.refailed, "failed again"], [one.withdrawn, "withdrawn"],
    [one.skipped, "skipped"], [one.applied, "done"], [one.in_flight, "on their way"]];
  return said.filter(([n]) => n).map(([n, words]) => `${number(n)} ${words}`).join(" · ") || "nothing yet";
}

export function selectorWords(selector) {
  const { ids, fingerprint, queue, reason, ...more } = selector;
  return [ids ? `${letterCount(ids.count)} that ${ids.count === 1 ? "was" : "were"} chosen` : null, fingerprint ? `group ${plain(fingerprint)}` : null,
    queue ? titleOfQueue(queue) : null, reason ? within(meaningOf(reason).what) : null,
    ...Object.entries(more).map(([name, value]) => `${name.replaceAll("_", " ")} ${plain(value)}`)]
    .filter(Boolean).join(", ") || "all letters";
}
