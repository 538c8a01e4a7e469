// Who reviews: who is there, how much each has in hand, of which level they are. Everybody says
// of themselves whether they are there; a level is given by a lead.

import { reviewers, setLevel, setPresence } from "./api.js";
import { LEVELS } from "./dialogs.js";
import { button, fill, make, plain } from "./make.js";
import { say } from "./notices.js";
import { since } from "./words.js";

export class People {
  #own = null;
  #hasLeft = false;

  constructor(desk) {
    this.desk = desk;
    this.toggle = button("", () => this.#setPresence(), { id: "presence", hidden: true });
    this.presence = make("p", { class: "presence-words" });
    this.body = make("tbody", {});
    this.table = make("section", { class: "card", "aria-labelledby": "reviewers-title", hidden: true },
      make("h2", { id: "reviewers-title" }, "Reviewers"),
      make("table", { class: "plain-table people" },
        make("thead", {}, make("tr", {}, ["Name", "Level", "In hand", "Last seen", "Status"].map((one) =>
          make("th", { scope: "col" }, one)))),
        this.body));
    this.element = make("div", { class: "figures" },
      make("h1", { id: "title", tabindex: "-1" }, "People"),
      make("section", { class: "card presence", "aria-label": "You" }, this.presence, this.toggle),
      this.table);
  }

  async start() {
    this.element.querySelector("#title").focus();
    await this.#load();
  }

  leave() {
    this.#hasLeft = true;
  }

  async #load() {
    try {
      const { data } = await reviewers();
      if (this.#hasLeft) return;
      // Who has never had a document is not in the list, and is there as far as anybody knows.
      this.#own = data.reviewers.find((one) => one.name === this.desk.owner) ?? null;
      this.#showPresence();
      fill(this.body, data.reviewers.map((one) => this.#row(one)));
      this.table.hidden = data.reviewers.length === 0;
    } catch (error) {
      this.desk.failed(error);
    }
  }

  get #isHere() {
    return this.#own?.active ?? true;
  }

  #showPresence() {
    this.presence.textContent = this.#isHere
      ? "You are here: documents may be given to you."
      : "You are away: no document is given to you, and what you had not begun went back.";
    this.toggle.textContent = this.#isHere ? "I am away" : "I am back";
    this.toggle.hidden = !this.desk.may("review:items:claim");
  }

  async #setPresence() {
    try {
      await setPresence(!this.#isHere);
      await this.#load();
      say(this.presence.textContent);
    } catch (error) {
      this.desk.failed(error);
    }
  }

  #row(one) {
    const name = plain(one.name);
    return make("tr", {},
      make("th", { scope: "row" }, name, one.name === this.desk.owner
        ? make("span", { class: "muted" }, " (you)") : null),
      make("td", { class: "number" }, this.desk.may("review:items:assign")
        ? this.#levels(one, name) : String(one.level)),
      make("td", { class: "number" }, String(one.load)),
      make("td", { class: "number" }, since(one.seen_at)),
      make("td", { class: "number" },
        make("span", { class: `badge ${one.active ? "good" : ""}` }, one.active ? "Here" : "Away")));
  }

  #levels(one, name) {
    return make("select", { "aria-label": `Level of ${name}`, on: {
      change: (event) => this.#setLevel(one.name, Number(event.target.value)),
    } }, LEVELS.map((level) => make("option", { value: String(level), selected: level === one.level },
      String(level))));
  }

  async #setLevel(name, level) {
    try {
      await setLevel(name, level);
      say(`${plain(name)} is of level ${level} now.`);
    } catch (error) {
      this.desk.failed(error);
      await this.#load();
    }
  }
}
