// An item in hand: what the server knows of it, and the changes on their way there. One at a
// time and in order, each with the version it rests on, so that nothing is overwritten unseen.

import { Away, Refused, act, change, show } from "./api.js";
import { SignedOut } from "./session.js";

const AGAIN_MS = 2000;

export class Work {
  #turn = Promise.resolve();
  #history = [];
  #waiting = 0;
  // Sent or about to be, and not answered.
  #pending = new Set();

  constructor(answer, listener) {
    this.listener = listener;
    this.take(answer);
  }

  get id() {
    return this.detail.document_id;
  }

  get isSaving() {
    return this.#waiting > 0;
  }

  take({ data, version }) {
    this.detail = data;
    this.version = version;
  }

  value(path) {
    return this.detail.fields.find((one) => one.path === path)?.value ?? null;
  }

  // True when the server has kept them.
  change(changes, { isUndo = false } = {}) {
    const sent = { changes };
    this.#pending.add(sent);
    return this.#inTurn(async () => {
      // Of what stands there by then: what was said before it may still be under way now.
      const before = isUndo ? null : this.#opposite(changes);
      const isKept = await this.#send(sent).finally(() => this.#pending.delete(sent));
      if (isKept && before?.length) this.#history.push(before);
      return isKept;
    });
  }

  isPending(path) {
    return [...this.#pending].some(({ changes }) => changes.some((one) => one.path === path));
  }

  canUndo() {
    return this.#history.length > 0;
  }

  undo() {
    const changes = this.#history.pop();
    return changes ? this.change(changes, { isUndo: true }) : Promise.resolve(false);
  }

  // Approve, reject and so on: after all changes are kept. Null when they were not.
  decide(what, body) {
    return this.#inTurn(() => act(this.id, what, { body, version: this.version }));
  }

  // When all that was sent is answered.
  settled() {
    return this.#turn;
  }

  async refresh() {
    this.take(await show(this.id));
    this.listener.updated();
  }

  #inTurn(doIt) {
    this.#waiting += 1;
    this.listener.saving();
    const done = this.#turn.then(doIt).finally(() => {
      this.#waiting -= 1;
      this.listener.saving();
    });
    this.#turn = done.catch(() => {});
    return done;
  }

  async #send(sent) {
    for (;;) {
      try {
        this.take(await change(this.id, sent.changes, this.version));
        this.#pending.delete(sent);
        this.listener.updated();
        return true;
      } catch (error) {
        if (error instanceof SignedOut) throw error;
        if (error instanceof Away) {
          await this.#wait(error);
        } else if (error instanceof Refused) {
          sent.changes = await this.#refused(error, sent.changes) ?? [];
          this.listener.updated();
          if (!sent.changes.length) return false;
        } else throw error;
      }
    }
  }

  async #wait(error) {
    this.listener.away(error.message);
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }

  // What is to be sent after all, if anything.
  async #refused(error, changes) {
    if (error.status !== 412) {
      this.listener.refused(error, changes);
      return null;
    }
    const theirs = error.problem.changes ?? [];
    const before = this.detail;
    try {
      this.take(await show(this.id));
    } catch (other) {
      if (!(other instanceof Away)) throw other;
      // Sent as it was, it is refused again, and then there may be an answer.
      await this.#wait(other);
      return changes;
    }
    return this.listener.conflict({ theirs, changes, before });
  }

  #opposite(changes) {
    const opposite = [];
    for (const { op, path, at } of changes) {
      if (op === "set" || op === "clear") {
        const value = this.value(path);
        opposite.unshift(value === null ? { op: "clear", path } : { op: "set", path, value });
      } else if (op === "insert_line") opposite.unshift({ op: "remove_line", at });
      else if (op === "duplicate_line") opposite.unshift({ op: "remove_line", at: at + 1 });
      else if (op === "remove_line") opposite.unshift(...this.#lineAnew(at));
    }
    return opposite;
  }

  #lineAnew(at) {
    const values = this.detail.fields
      .filter((one) => one.path.startsWith(`lines.${at}.`) && one.value != null)
      .map(({ path, value }) => ({ op: "set", path, value }));
    return [{ op: "insert_line", at }, ...values];
  }
}
