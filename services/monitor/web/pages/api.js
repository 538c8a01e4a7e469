// What the console asks of the monitor's API: nothing that a program could not ask too.

import { ask } from "./ask.js";

export { Away, Refused } from "./ask.js";

const OPS = "/ops/v1";
const one = (kind, id) => `${OPS}/${kind}/${encodeURIComponent(id)}`;
const look = async (path) => (await ask("GET", path)).data;

export const overview = () => look(`${OPS}/overview`);
export const groups = () => look(`${OPS}/failure-groups?limit=200`);
// Of one cause; of those whose cause nobody noted, it is empty.
export const letters = (fingerprint, limit) => look(`${OPS}/dead-letters?${new URLSearchParams({ fingerprint, limit })}`);
// With its version, on which a change rests.
export const letter = (id) => ask("GET", one("dead-letters", id));
export const payload = (id) => look(`${one("dead-letters", id)}/payload`);
export const log = (id) => look(`${one("dead-letters", id)}/log`);
export const replay = (id) => look(one("replays", id));
export const replayLetter = (id, reason) =>
  ask("POST", `${one("dead-letters", id)}/replay`, { body: { reason } });
export const mendLetter = (id, patch, reason, version) =>
  ask("POST", `${one("dead-letters", id)}/edit-and-replay`, { body: { patch, reason }, version });
export const said = (fingerprint) => ask("GET", `${one("failure-groups", fingerprint)}/comment`);
export const say = (fingerprint, words, version) =>
  ask("PUT", `${one("failure-groups", fingerprint)}/comment`, { body: words, version });

export const operations = (given) => look(`${OPS}/operations?${asked(given)}`);
export const operation = (id) => look(one("operations", id));
export const items = (id, given) => look(`${one("operations", id)}/items?${asked(given)}`);
export const events = (id) => `${one("operations", id)}/events`;
export const preview = async (wish) =>
  (await ask("POST", `${OPS}/operations`, { body: { ...wish, dry_run: true } })).data;
export const operate = async (wish, key) =>
  (await ask("POST", `${OPS}/operations`, { body: wish, key })).data;
export const steer = async (id, what, version) =>
  (await ask("POST", `${one("operations", id)}/${what}`, { version: tag(version) })).data;
export const pace = async (id, given, version) =>
  (await ask("PATCH", one("operations", id), { body: given, version: tag(version) })).data;

export const queues = () => look(`${OPS}/queues`);
export const pauseQueue = (name, reason, seconds) =>
  ask("POST", `${one("queues", name)}/pause`, { body: { reason, for_s: seconds } });
export const resumeQueue = (name, reason) =>
  ask("POST", `${one("queues", name)}/resume`, { body: { reason } });

export const documents = (find) => look(`${OPS}/documents?${asked({ find })}`);
export const timeline = (id) => look(`${one("documents", id)}/timeline`);
export const conservation = (given) => look(`${OPS}/conservation?${asked(given)}`);
export const conservationTable = (given) => `${OPS}/conservation?${asked({ ...given, format: "csv" })}`;
export const levels = () => look(`${OPS}/service-levels`);
export const audit = (given) => look(`/v1/audit?${asked(given)}`);
export const verifyAudit = () => look("/v1/audit/verify");
export const AUDIT_EXPORT = "/v1/audit/export";

function asked(given) {
  return new URLSearchParams(Object.entries(given).filter(([, value]) => value !== undefined
    && value !== null && value !== ""));
}

// As the server writes the version of what was seen.
function tag(version) {
  return `"${version}"`;
}

export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0")).join("");
}
