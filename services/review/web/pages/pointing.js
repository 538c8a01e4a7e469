// Pointing at a page: a click takes a word, a drag takes several, and what is under the pointer
// shows which field it belongs to. The focus stays in the field that is being filled.

import { words } from "./api.js";
import { boxOf } from "./marks.js";

const CLICK_SHARE = 0.004;

export class Pointing {
  #words = null;
  #start = null;
  #drawn = [];

  constructor(page, listener) {
    this.page = page;
    this.listener = listener;
    const { box } = page;
    box.addEventListener("pointerenter", () => this.#load());
    box.addEventListener("pointerdown", (event) => this.#begin(event));
    box.addEventListener("pointermove", (event) => this.#move(event));
    box.addEventListener("pointerup", (event) => this.#end(event));
    box.addEventListener("pointercancel", () => this.#clear());
    box.addEventListener("pointerleave", () => listener.pointed(null));
    // The field keeps the focus.
    box.addEventListener("mousedown", (event) => event.preventDefault());
  }

  async #load() {
    if (!this.page.page.words) return [];
    this.#words ??= words(this.page.page.words)
      .then((answer) => answer.data.words ?? [])
      .catch(() => {
        this.#words = null;
        return [];
      });
    return this.#words;
  }

  // Where on the page, as it lies unturned.
  #at(event) {
    const seen = this.page.box.getBoundingClientRect();
    const x = (event.clientX - seen.left) / seen.width;
    const y = (event.clientY - seen.top) / seen.height;
    return { 0: [x, y], 90: [y, 1 - x], 180: [1 - x, 1 - y], 270: [1 - y, x] }[this.page.turn ?? 0];
  }

  #begin(event) {
    if (event.button !== 0) return;
    this.#start = this.#at(event);
    this.page.box.setPointerCapture(event.pointerId);
  }

  async #move(event) {
    const at = this.#at(event);
    if (!this.#start) return this.listener.pointed({ page: this.page.page.number, at });
    const frame = around(this.#start, at);
    const caught = inside(await this.#load(), frame);
    if (this.#start) this.#draw(frame, caught);
  }

  async #end(event) {
    const start = this.#start;
    if (!start) return;
    this.#start = null;
    const frame = around(start, this.#at(event));
    const caught = inside(await this.#load(), frame);
    this.#clear();
    if (!caught.length) return;
    const bbox = caught.map((one) => one.bbox).reduce(joined);
    const text = caught.map((one) => one.text).join(" ");
    this.listener.taken({ text, page: this.page.page.number, bbox });
  }

  #draw(frame, caught) {
    this.#drawn.forEach((one) => one.remove());
    this.#drawn = [boxOf("frame", frame), ...caught.map((one) => boxOf("caught", one.bbox))];
    this.page.marks.append(...this.#drawn);
  }

  #clear() {
    this.#start = null;
    this.#drawn.forEach((one) => one.remove());
    this.#drawn = [];
  }
}

function around([x, y], [u, v]) {
  return [Math.min(x, u), Math.min(y, v), Math.max(x, u), Math.max(y, v)];
}

function joined(one, other) {
  return [Math.min(one[0], other[0]), Math.min(one[1], other[1]),
    Math.max(one[2], other[2]), Math.max(one[3], other[3])];
}

// A click is a frame of no size: the one word under it. Else what lies in the frame with its
// middle, line by line.
function inside(all, [left, top, right, bottom]) {
  if (right - left < CLICK_SHARE && bottom - top < CLICK_SHARE) {
    return all.filter(({ bbox: [l, t, r, b] }) => l <= left && left <= r && t <= top && top <= b)
      .slice(0, 1);
  }
  const caught = all.filter(({ bbox: [l, t, r, b] }) =>
    (l + r) / 2 >= left && (l + r) / 2 <= right && (t + b) / 2 >= top && (t + b) / 2 <= bottom);
  return caught.sort((one, other) => {
    const isSameLine = Math.abs(middle(one) - middle(other)) < (one.bbox[3] - one.bbox[1]) / 2;
    return isSameLine ? one.bbox[0] - other.bbox[0] : middle(one) - middle(other);
  });
}

function middle({ bbox }) {
  return (bbox[1] + bbox[3]) / 2;
}
