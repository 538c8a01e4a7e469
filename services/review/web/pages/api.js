// What the desk asks of the review API: nothing that a program could not ask too.

import { SignedOut, proof } from "./session.js";

const AWAY = new Set([408, 429, 502, 503, 504]);

// The server said no, and why: `code` for us, the message for the person.
export class Refused extends Error {
  constructor(status, problem) {
    const first = problem.errors?.[0];
    super(first?.message ?? first?.detail ?? problem.detail ?? problem.title
      ?? `The server answered ${status}.`);
    this.status = status;
    this.problem = problem;
    this.code = String(problem.type ?? "").split("/").at(-1);
  }
}

// Nobody said no: the same again, a little later, may do.
export class Away extends Error {}

export async function ask(method, path, { body, version, keepalive, signal } = {}) {
  const headers = method === "GET" ? {} : proof();
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (version) headers["If-Match"] = version;
  let answer;
  try {
    answer = await fetch(path, {
      method, headers, keepalive, signal,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Away("The server cannot be reached. What you typed is still here.");
  }
  if (answer.status === 401) throw new SignedOut();
  if (answer.status === 204) return null;
  const data = await answer.json().catch(() => ({}));
  if (AWAY.has(answer.status)) throw new Away(data.detail ?? "The server is busy.");
  if (!answer.ok) throw new Refused(answer.status, data);
  return { data, version: answer.headers.get("ETag") };
}

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
