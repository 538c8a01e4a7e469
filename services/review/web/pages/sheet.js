// The pages of the document: one below the other, with the places of the values marked on them.
// All places are shares of the page from its top left, so they stay right however it is turned
// and however large it is shown.

import { pictureOf, sized } from "./ahead.js";
import { boxOf } from "./marks.js";
import { button, fill, icon, make } from "./make.js";
import { Pointing } from "./pointing.js";

export const FIRST_WIDTH = 1280;
const SHARP_WIDTH = 2560;
const ZOOM_MIN = 0.5;
const ZOOM_MAX = 4;
const STEP = 1.25;
// Of a marked line of text, in pixels: smaller is zoomed in on.
const READABLE = 11;

export class Sheet {
  #zoom = 1;
  #turn = 0;
  #pages = [];

  constructor(listener) {
    this.listener = listener;
    this.track = make("div", { class: "track" });
    this.scroller = make("div", { class: "scroller", tabindex: "0", role: "group",
      "aria-label": "Pages, to scroll" }, this.track);
    this.number = make("output", { class: "zoom" });
    this.element = make("section", { class: "sheet", "aria-label": "Page of the document" },
      this.#tools(), this.scroller);
    new ResizeObserver(() => this.#layOut()).observe(this.scroller);
    this.scroller.addEventListener("scroll", () => this.#sharpen(), { passive: true });
  }

  #tools() {
    const tool = (sign, words, act, keys) => button(icon(sign), act, {
      kind: "sign", "aria-label": words, title: `${words} (${keys})`, tabindex: "-1",
    });
    this.place = make("span", { class: "place" });
    return make("div", { class: "tools", role: "toolbar", "aria-label": "Page" },
      this.place,
      tool("minus", "Smaller", () => this.zoomBy(1 / STEP), "Alt −"), this.number,
      tool("plus", "Larger", () => this.zoomBy(STEP), "Alt +"),
      tool("wide", "Fit the width", () => this.fit(), "Alt 0"),
      tool("turn", "Turn", () => this.turnRight(), "Alt R"));
  }

  show(pages) {
    const same = pages.map((one) => one.image).join() === this.#pages.map((one) => one.page.image).join();
    if (same && this.#pages.length) return;
    this.#pages = pages.map((page) => new Page(page, this.listener));
    fill(this.track, this.#pages.map((one) => one.element));
    this.#zoom = 1;
    this.#turn = 0;
    this.scroller.scrollTo(0, 0);
    this.#layOut();
  }

  zoomBy(factor) {
    const { scroller } = this;
    const [x, y] = [centre(scroller, "Left", "Width"), centre(scroller, "Top", "Height")];
    this.#zoom = Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, this.#zoom * factor));
    this.#layOut();
    scroller.scrollLeft = x * scroller.scrollWidth - scroller.clientWidth / 2;
    scroller.scrollTop = y * scroller.scrollHeight - scroller.clientHeight / 2;
  }

  fit() {
    this.#zoom = 1;
    this.#layOut();
  }

  turnRight() {
    this.#turn = (this.#turn + 90) % 360;
    this.#layOut();
  }

  turnPage(step) {
    const at = this.#current() + step;
    this.#pages[at]?.element.scrollIntoView({ block: "start" });
  }

  // The places of one value: shown strongly, and brought into sight.
  focusOn(evidence, isQuiet = false) {
    for (const page of this.#pages) page.mark("at", evidence);
    const first = evidence?.find((one) => this.#pages[one.page - 1]);
    if (first && !isQuiet) this.#bringIntoSight(first);
  }

  hover(evidence) {
    for (const page of this.#pages) page.mark("over", evidence);
  }

  // Where somebody has to look: a thin mark each.
  doubts(evidence) {
    for (const page of this.#pages) page.mark("doubt", evidence);
  }

  #bringIntoSight({ page, bbox: [, top, , bottom] }) {
    const shown = this.#pages[page - 1];
    const height = (bottom - top) * shown.box.offsetHeight;
    if (height > 0 && height < READABLE && this.#zoom < 2) {
      this.#zoom = Math.min(2, this.#zoom * READABLE / height);
      this.#layOut();
    }
    const mark = shown.box.querySelector(".mark.at")?.getBoundingClientRect();
    if (!mark) return;
    const frame = this.scroller.getBoundingClientRect();
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.scroller.scrollBy({
      left: outside(mark.left, mark.right, frame.left, frame.right),
      top: outside(mark.top, mark.bottom, frame.top, frame.bottom),
      behavior: isCalm ? "instant" : "smooth",
    });
  }

  #layOut() {
    const width = (this.scroller.clientWidth - 24) * this.#zoom;
    if (width <= 0) return;
    for (const page of this.#pages) page.layOut(width, this.#turn);
    this.#sharpen();
    this.number.textContent = `${Math.round(100 * this.#zoom)} %`;
    this.place.textContent = this.#pages.length > 1 ? `${this.#pages.length} pages` : "1 page";
    this.place.hidden = this.#pages.length === 0;
  }

  // Only what is looked at: a large picture of each of a hundred pages would be a lot.
  #sharpen() {
    const shown = this.#pages[this.#current()];
    if (shown?.box.offsetWidth * devicePixelRatio > 1.3 * FIRST_WIDTH) shown.sharpen();
  }

  #current() {
    const top = this.scroller.getBoundingClientRect().top;
    const after = this.#pages.findIndex((one) =>
      one.element.getBoundingClientRect().bottom > top + 40);
    return Math.max(0, after);
  }
}

class Page {
  constructor(page, listener) {
    this.page = page;
    this.marks = make("div", { class: "marks", "aria-hidden": "true" });
    this.picture = pictureOf(sized(page.image, FIRST_WIDTH), page.number > 1);
    this.picture.alt = `Page ${page.number} of the document`;
    this.picture.addEventListener("error", () => {
      this.box.classList.add("broken");
      this.picture.alt = `The picture of page ${page.number} could not be loaded.`;
    });
    this.box = make("div", { class: "page" }, this.picture, this.marks);
    this.element = make("div", { class: "turned" }, this.box);
    new Pointing(this, listener);
  }

  layOut(width, turn) {
    const isAcross = turn % 180 !== 0;
    const shape = (this.page.height || 1.414) / (this.page.width || 1);
    const [w, h] = isAcross ? [width / shape, width] : [width, width * shape];
    Object.assign(this.box.style, {
      width: `${w}px`, height: `${h}px`,
      transform: `translate(-50%, -50%) rotate(${turn}deg)`,
    });
    Object.assign(this.element.style, {
      width: `${width}px`, height: `${isAcross ? w : h}px`,
    });
    this.turn = turn;
  }

  sharpen() {
    if (this.isSharp) return;
    this.isSharp = true;
    const sharp = pictureOf(sized(this.page.image, SHARP_WIDTH));
    sharp.alt = this.picture.alt;
    sharp.addEventListener("load", () => {
      this.picture.replaceWith(sharp);
      this.picture = sharp;
    });
  }

  mark(kind, evidence) {
    this.marks.querySelectorAll(`.${kind}`).forEach((one) => one.remove());
    for (const { page, bbox } of evidence ?? []) {
      if (page === this.page.number) this.marks.append(boxOf(kind, bbox));
    }
  }
}

function centre(scroller, side, size) {
  return (scroller[`scroll${side}`] + scroller[`client${size}`] / 2) / scroller[`scroll${size}`];
}

// How far to scroll until it stands in the middle third; nothing when it is in sight already.
function outside(from, to, low, high) {
  const room = (high - low) / 8;
  if (from >= low + room && to <= high - room) return 0;
  return (from + to) / 2 - (low + high) / 2;
}
