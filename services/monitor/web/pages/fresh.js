// What is shown is not to be old: a place that looks again and again, and never while nobody
// looks at it. Nobody loses their place in it by that.

import { fill } from "./make.js";

export class Fresh {
  #home;
  #load;
  #everyMs;
  #timer = null;
  #asked = 0;
  #hasLeft = false;

  // `load` asks, and answers with what shows it.
  constructor(home, load, everyMs = 5000) {
    this.#home = home;
    this.#load = load;
    this.#everyMs = everyMs;
  }

  start() {
    document.addEventListener("visibilitychange", this.#seen);
    return this.now();
  }

  stop() {
    this.#hasLeft = true;
    clearTimeout(this.#timer);
    document.removeEventListener("visibilitychange", this.#seen);
  }

  now = async () => {
    clearTimeout(this.#timer);
    const turn = this.#asked += 1;
    try {
      const show = await this.#load();
      // What was asked before is older than what was asked since.
      if (this.#hasLeft || turn !== this.#asked) return;
      this.#home.well();
      show?.();
    } catch (error) {
      if (this.#hasLeft || turn !== this.#asked) return;
      this.#home.failed(error, { isLook: true });
    }
    if (!this.#hasLeft && this.#everyMs) this.#timer = setTimeout(this.#later, this.#everyMs);
  };

  #later = () => {
    if (!document.hidden) this.now();
  };

  #seen = () => {
    if (!document.hidden) this.now();
  };
}

// The same place filled anew: the focus stays where it was, and what was opened stays open.
export function refill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const key = focused && keyOf(focused);
  const open = new Set([...element.querySelectorAll("details[open][data-key]")].map((one) => one.dataset.key));
  fill(element, ...children);
  for (const one of element.querySelectorAll("details[data-key]")) one.open = open.has(one.dataset.key);
  if (!key) return;
  const next = [...element.querySelectorAll("a, button, summary, input, select, [tabindex]")]
    .find((one) => keyOf(one) === key);
  (next ?? element.closest("main")?.querySelector("h1"))?.focus({ preventScroll: true });
}

function keyOf(element) {
  return element.id || element.dataset.act || element.getAttribute("href")
    || element.getAttribute("aria-label") || element.textContent;
}
