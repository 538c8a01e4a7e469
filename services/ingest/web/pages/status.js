// Follow documents to their end. A stream of events says when there is something new; what it
// is, the status tells. Where streams do not come through, or are all taken, asking now and
// then does the same a little later: with the tag of what is known, so that most answers are
// empty.

import { SignedOut } from "./session.js";

const EVERY_MS = 2000;
const AT_ONCE = 6;
// A browser keeps six connections to a server, and three may be taken by uploads.
const STREAMS_MAX = 2;
// A document whose stream is open is asked about on every such round only.
const STREAMED_EVERY = 5;
// The review is opened shortly after the end, and has no end to wait for.
const LOOKS_FOR_REVIEW = 15;
const FINAL = new Set(["completed", "failed", "duplicate", "cancelled", "deleted"]);
const REVIEWED = new Set(["completed", "duplicate"]);

export class Follower {
  #following = new Map();
  #timer = null;
  #round = 0;
  #streams = 0;
  #onSignedOut;

  constructor(onSignedOut) {
    this.#onSignedOut = onSignedOut;
  }

  follow(links, onStatus) {
    const one = {
      onStatus, events: links.events, tag: null, hasEnded: false, isStreamed: false,
      wasStreamed: false, looksLeft: LOOKS_FOR_REVIEW, turn: Promise.resolve(),
    };
    this.#following.set(links.status, one);
    this.#timer ??= setTimeout(() => this.#look(), EVERY_MS / 4);
    this.#openStreams();
  }

  resume() {
    if (this.#following.size) this.#timer ??= setTimeout(() => this.#look(), 0);
    this.#openStreams();
  }

  async #look() {
    const waiting = [...this.#following].filter(([, one]) =>
      !one.isStreamed || this.#round % STREAMED_EVERY === 0);
    this.#round += 1;
    try {
      while (waiting.length) {
        await Promise.all(waiting.splice(0, AT_ONCE).map((one) => this.#ask(...one)));
      }
      this.#timer = this.#following.size ? setTimeout(() => this.#look(), EVERY_MS) : null;
    } catch (error) {
      this.#timer = null;
      this.#stopped(error);
    }
  }

  #stopped(error) {
    if (error instanceof SignedOut) this.#onSignedOut();
    else throw error;
  }

  // One question at a time about a document, or an old answer might come after a new one.
  #ask(address, one) {
    one.turn = one.turn.catch(() => {}).then(() => this.#askNow(address, one));
    return one.turn;
  }

  async #askNow(address, one) {
    let answer;
    let status;
    try {
      const headers = one.tag ? { "If-None-Match": one.tag } : {};
      answer = await fetch(address, { headers, cache: "no-store" });
      if (answer.status === 200) status = await answer.json();
    } catch {
      return; // Away for a moment; asked again in two seconds.
    }
    if (answer.status === 401) throw new SignedOut();
    if (answer.status === 404 || answer.status === 410) {
      this.#tell(address, one, { status: "deleted", links: {} });
    } else if (answer.status === 200) {
      one.tag = answer.headers.get("ETag");
      this.#tell(address, one, status);
    } else if (one.hasEnded) {
      this.#lookedInVain(address, one);
    }
  }

  #tell(address, one, status) {
    one.hasEnded = FINAL.has(status.status);
    one.onStatus(status, one.hasEnded);
    if (!one.hasEnded) return;
    if (!REVIEWED.has(status.status) || status.review) this.#following.delete(address);
    else this.#lookedInVain(address, one);
  }

  #lookedInVain(address, one) {
    one.looksLeft -= 1;
    if (one.looksLeft === 0) this.#following.delete(address);
  }

  #openStreams() {
    for (const [address, one] of this.#following) {
      if (this.#streams >= STREAMS_MAX) return;
      if (!one.wasStreamed && !one.hasEnded) this.#stream(address, one);
    }
  }

  async #stream(address, one) {
    this.#streams += 1;
    one.wasStreamed = true;
    try {
      const answer = await fetch(one.events, { headers: { Accept: "text/event-stream" } });
      if (answer.status === 200) await this.#listen(answer.body.getReader(), address, one);
    } catch (error) {
      // Cut off, or never begun: asking goes on.
      if (error instanceof SignedOut) this.#stopped(error);
    } finally {
      this.#streams -= 1;
      one.isStreamed = false;
      this.#openStreams();
    }
  }

  async #listen(reader, address, one) {
    one.isStreamed = true;
    while (!one.hasEnded) {
      const { done } = await reader.read();
      if (done) return;
      await this.#ask(address, one);
    }
    await reader.cancel();
  }
}
