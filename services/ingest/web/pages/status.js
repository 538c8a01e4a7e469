// Follow documents to their end: only those that have not ended, each asked with the tag of
// what is known, so that most answers are empty.

import { SignedOut } from "./session.js";

const EVERY_MS = 2000;
const AT_ONCE = 6;
const FINAL = new Set(["completed", "failed", "duplicate", "cancelled", "deleted"]);

export class Follower {
  #following = new Map();
  #timer = null;
  #onSignedOut;

  constructor(onSignedOut) {
    this.#onSignedOut = onSignedOut;
  }

  follow(address, onStatus) {
    this.#following.set(address, { onStatus, tag: null });
    this.#timer ??= setTimeout(() => this.#look(), EVERY_MS / 4);
  }

  resume() {
    if (this.#following.size) this.#timer ??= setTimeout(() => this.#look(), 0);
  }

  async #look() {
    const waiting = [...this.#following];
    try {
      while (waiting.length) {
        await Promise.all(waiting.splice(0, AT_ONCE).map((one) => this.#ask(...one)));
      }
      this.#timer = this.#following.size ? setTimeout(() => this.#look(), EVERY_MS) : null;
    } catch (error) {
      this.#timer = null;
      if (error instanceof SignedOut) this.#onSignedOut();
      else throw error;
    }
  }

  async #ask(address, one) {
    let answer;
    try {
      const headers = one.tag ? { "If-None-Match": one.tag } : {};
      answer = await fetch(address, { headers, cache: "no-store" });
    } catch {
      return; // Away for a moment; asked again in two seconds.
    }
    if (answer.status === 401) throw new SignedOut();
    if (answer.status === 404 || answer.status === 410) this.#end(address, one, { status: "deleted", links: {} });
    if (answer.status !== 200) return;
    const status = await answer.json();
    one.tag = answer.headers.get("ETag");
    if (FINAL.has(status.status)) this.#end(address, one, status);
    else one.onStatus(status, false);
  }

  #end(address, one, status) {
    this.#following.delete(address);
    one.onStatus(status, true);
  }
}
