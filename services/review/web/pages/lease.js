// An item is lent, not owned: as long as somebody works on it the desk says so now and then. A
// tab that nobody looks at, or in which nothing happens, falls silent and loses it.

import { Refused, act, home } from "./api.js";
import { isSomebodyThere } from "./presence.js";
import { proof } from "./session.js";

const EVERY_MS = 30_000;
const RELEASE_MS = 2000;

export class Lease {
  #timer = null;
  #isHeld = true;

  constructor(id, onLost) {
    this.id = id;
    this.onLost = onLost;
    this.onShown = () => {
      if (!document.hidden) this.#beat();
    };
    document.addEventListener("visibilitychange", this.onShown);
    this.#timer = setInterval(() => this.#beat(), EVERY_MS);
  }

  async #beat() {
    if (!isSomebodyThere() || !this.#isHeld) return;
    try {
      await act(this.id, "heartbeat");
    } catch (error) {
      // Anything else passes: the lease is longer than a few beats.
      if (error instanceof Refused && [404, 409, 410].includes(error.status)) this.lose(error);
    }
  }

  lose(error) {
    if (!this.#isHeld) return;
    this.stop();
    this.onLost(error);
  }

  stop() {
    this.#isHeld = false;
    clearInterval(this.#timer);
    document.removeEventListener("visibilitychange", this.onShown);
  }

  // Given back at once when the person goes elsewhere; on the way out of the page too.
  release() {
    if (!this.#isHeld) return null;
    this.stop();
    return fetch(`${home(this.id)}/release`, {
      method: "POST", headers: proof(), keepalive: true, signal: AbortSignal.timeout(RELEASE_MS),
    }).catch(() => {});
  }
}
