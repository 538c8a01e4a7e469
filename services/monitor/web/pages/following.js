// One operation as it moves: told by the server as it happens and, where that is not to be had,
// asked for again and again. It ends by itself when nothing moves any more.

import * as api from "./api.js";

const POLL_MS = 2000;
// Without a word for longer than the server keeps silent, the stream is not believed.
const SILENT_MS = 25_000;
const ENDED = new Set(["completed", "cancelled"]);

export class Following {
  #stream = null;
  #timer = null;
  #hasLeft = false;

  // `show` is told the operation, `way` how we know of it; `failed` what went wrong.
  constructor(id, { show, way, failed }) {
    this.id = id;
    this.show = show;
    this.way = way;
    this.failed = failed;
  }

  start() {
    if (typeof EventSource === "undefined") return this.#poll();
    this.way("live");
    this.#stream = new EventSource(api.events(this.id));
    for (const state of ["preparing", "running", "paused", "completed", "cancelled"]) {
      this.#stream.addEventListener(state, (event) => this.#take(JSON.parse(event.data)));
    }
    this.#stream.addEventListener("error", () => {
      // It connects again by itself, unless it was refused.
      if (this.#stream?.readyState === EventSource.CLOSED) this.#poll();
      else this.way("reconnecting");
    });
    this.#listen();
    return undefined;
  }

  stop() {
    this.#hasLeft = true;
    this.#close();
  }

  #take(operation) {
    if (this.#hasLeft) return;
    this.way("live");
    this.show(operation);
    if (isOver(operation)) this.#close();
    else this.#listen();
  }

  #listen() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#poll(), SILENT_MS);
  }

  async #poll() {
    this.#close();
    if (this.#hasLeft) return;
    this.way("asking");
    try {
      const operation = await api.operation(this.id);
      if (this.#hasLeft) return;
      this.show(operation);
      if (isOver(operation)) return;
    } catch (error) {
      if (this.#hasLeft) return;
      this.failed(error);
      if (error instanceof api.Refused) return;
    }
    this.#timer = setTimeout(() => this.#poll(), POLL_MS);
  }

  #close() {
    clearTimeout(this.#timer);
    this.#stream?.close();
    this.#stream = null;
  }
}

export function isOver(operation) {
  return ENDED.has(operation.state) && operation.in_flight === 0;
}
