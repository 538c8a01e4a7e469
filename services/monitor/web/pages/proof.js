// The proof that nothing was lost or doubled, of the documents of a period: sums that must agree,
// each promise with what breaks it by name, and whether the record of deeds is whole.

import * as api from "./api.js";
import { fill, make, plain } from "./make.js";
import { say } from "./notices.js";
import { card, facts, rows, tiles } from "./rows.js";
import { badge, moment, number } from "./words.js";

const DAY_MS = 86_400_000;
const DAYS = 31;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export class Proof {
  #asked = 0;
  name = "Proof";

  constructor(home) {
    this.home = home;
    this.since = make("input", { type: "date", id: "since", value: dayOf(Date.now() - DAYS * DAY_MS) });
    this.until = make("input", { type: "date", id: "until", value: dayOf(Date.now()) });
    this.sentence = make("p", { id: "verdict", class: "verdict", role: "status", "aria-live": "polite" }, "Counting…");
    this.export = make("a", { id: "export", class: "button quiet small", download: "conservation.csv" }, "Export as CSV");
    this.content = make("div", {});
    this.element = make("div", { class: "page" }, make("h1", { id: "title", tabindex: "-1" }, "Proof"),
      make("p", { class: "muted" }, "Of the documents that were accepted in a period, from what the services told."),
      make("form", { class: "filters", on: { submit: (event) => this.#submitted(event) } },
        make("label", { for: "since", class: "inline" }, "From"), this.since, make("label", { for: "until", class: "inline" }, "to the end of"), this.until,
        make("button", { type: "submit", class: "primary small", "data-act": "prove" }, "Prove it"), this.export),
      this.sentence, this.content);
  }

  start() {
    return this.#prove();
  }

  again() {
    return this.#prove();
  }

  leave() {
    this.#asked += 1;
  }

  #submitted(event) {
    event.preventDefault();
    this.#prove();
  }

  get #period() {
    const end = this.until.value ? Date.parse(`${this.until.value}T00:00:00`) + DAY_MS : NaN;
    return { since: this.since.value ? new Date(`${this.since.value}T00:00:00`).toISOString() : "",
      // Of the future nothing can be proven.
      until: end < Date.now() ? new Date(end).toISOString() : "" };
  }

  async #prove() {
    const turn = this.#asked += 1;
    const period = this.#period;
    this.export.href = api.conservationTable(period);
    try {
      const report = await api.conservation(period);
      if (turn !== this.#asked) return;
      this.home.well();
      this.#show(report);
    } catch (error) {
      if (turn !== this.#asked) return;
      this.sentence.className = "verdict warn";
      this.sentence.textContent = "It could not be proven just now.";
      this.home.failed(error);
    }
  }

  #show(report) {
    const { sentence, mood } = verdictOf(report);
    this.sentence.textContent = sentence;
    this.sentence.className = `verdict ${mood}`;
    say(this.sentence.textContent);
    fill(this.content,
      tiles([["Accepted", number(report.accepted)], ["In flight", number(report.in_flight)], ["Ended", number(report.ended)],
        ["Difference", number(report.difference), report.difference ? "bad" : "good"]]),
      card("Promises", rows("Promises, and what breaks them", ["Promise", "Kept", "What breaks it"], report.violations.map((one) => ({
        given: { "data-promise": one.invariant }, cells: [[plain(one.promise), make("code", { class: "muted message" }, one.invariant)],
          badge(one.total ? [`Broken ${number(one.total)} ×`, "bad"] : ["Kept", "good"]), offendersOf(one)] })))),
      card("Sums and record", facts([
        ["Period", [moment(report.since), " – ", moment(report.until)]], ["Facts are kept since", moment(report.began_at)],
        ["Counted", moment(report.taken_at)],
        ...Object.entries(report.by_status).map(([name, n]) => [`Documents ${plain(name)}`, number(n)]),
        ["Audit log", badge(report.audit === "intact" ? ["Intact", "good"] : [plain(report.audit ?? "Not looked at"), "bad"])],
      ]), make("p", {}, make("a", { href: "#audit" }, "Look into the audit log"))));
  }
}

function verdictOf(report) {
  const broken = report.violations.filter((one) => one.total);
  if (!report.holds)
    return { mood: "bad", sentence: `${broken.length ? `${broken.length} of ${report.violations.length} promises are broken.` : ""}${report.audit === "intact" ? "" : " The audit log is not what was written."}`.trim()
      || "The sums do not agree." };
  // What was accepted a moment ago may be on its way to the monitor still, and is left out.
  if (!report.accepted)
    return { mood: "", sentence: "Nothing to prove yet: no document was accepted in this period. The last ten minutes are not counted until they are over." };
  return { mood: "good", sentence: `Nothing was lost and nothing doubled: ${number(report.accepted)} accepted = ${number(report.in_flight)} in flight + ${number(report.ended)} ended.` };
}

function offendersOf({ offenders, total }) {
  if (!total) return "nothing";
  return [make("ul", { class: "offenders" }, offenders.map(({ subject, detail }) => make("li", {},
    UUID.test(subject) ? make("a", { href: `#document/${subject}` }, subject) : plain(subject), ` ${plain(detail)}`))),
    total > offenders.length ? make("span", { class: "muted" }, `and ${number(total - offenders.length)} more`) : null];
}

// As a field of dates takes it, of the person's own day.
function dayOf(moment_) {
  const when = new Date(moment_);
  return `${when.getFullYear()}-${String(when.getMonth() + 1).padStart(2, "0")}-${String(when.getDate()).padStart(2, "0")}`;
}
