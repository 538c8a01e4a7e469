// What the desk asks of the review API: nothing that a program could not ask too.

import { ask } from "./ask.js";

export { Away, Refused, ask } from "./ask.js";

export function list(filters) {
  const given = Object.entries(filters).filter(([, value]) => value);
  return ask("GET", `/v1/items?${new URLSearchParams(given)}`);
}

export function home(documentId) {
  return `/v1/items/${encodeURIComponent(documentId)}`;
}

export const next = () => ask("POST", "/v1/items/next");
export const peek = (after) => ask("POST", `/v1/items/next?peek=true&after=${encodeURIComponent(after)}`);
export const show = (id) => ask("GET", home(id));
export const act = (id, what, given = {}) => ask("POST", `${home(id)}/${what}`, given);
export const change = (id, changes, version, keepalive) =>
  ask("PATCH", `${home(id)}/fields`, { body: { changes }, version, keepalive });
export const preview = (id, changes, signal) =>
  ask("POST", `${home(id)}/fields/preview`, { body: { changes }, signal });
export const words = (address) => ask("GET", address);
export const stats = () => ask("GET", "/v1/stats");
export const reviewers = () => ask("GET", "/v1/reviewers");
export const setPresence = (active) => ask("PUT", "/v1/reviewers/me", { body: { active } });
export const setLevel = (name, level) =>
  ask("PUT", `/v1/reviewers/${encodeURIComponent(name)}`, { body: { level } });
export const audit = (id) => ask("GET", `${home(id)}/audit`);
