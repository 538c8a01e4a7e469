// How a page asks its own server: nothing that a program could not ask too.

import { SignedOut, proof } from "./session.js";

const AWAY = new Set([408, 429, 502, 503, 504]);

// The server said no, and why: `code` for us, the message for the person.
export class Refused extends Error {
  constructor(status, problem, location = null) {
    const first = problem.errors?.[0];
    super(first?.message ?? first?.detail ?? problem.detail ?? problem.title
      ?? `The server answered ${status}.`);
    this.status = status;
    // Where what is in the way can be watched, when the server says so.
    this.location = location;
    this.problem = problem;
    this.code = String(problem.type ?? "").split("/").at(-1);
  }
}

// Nobody said no: the same again, a little later, may do.
export class Away extends Error {}

// `version`: of what was seen. `key`: asked for twice, it is done once.
export async function ask(method, path, { body, version, key, keepalive, signal } = {}) {
  const headers = method === "GET" ? {} : proof();
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (version) headers["If-Match"] = version;
  if (key) headers["Idempotency-Key"] = key;
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
  if (!answer.ok) throw new Refused(answer.status, data, answer.headers.get("Location"));
  return { data, version: answer.headers.get("ETag") };
}
