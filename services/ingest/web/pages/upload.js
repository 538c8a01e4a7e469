// One file on its way to the server. The key stays the same for all tries of a file, so a try
// whose answer was lost makes no second document. XMLHttpRequest, because fetch tells nothing
// about what it has sent.

import { SignedOut, proof } from "./session.js";

const TRIES = 6;
// Whoever is told to come back later than this is told so, instead of watching a bar stand still.
const PATIENCE_S = 60;
const BUSY = new Set([408, 429, 502, 503, 504]);

// Another password may be the right one.
const CORRECTABLE = "/problems/wrong-password";

export class Refused extends Error {
  constructor(text, isWorthTrying) {
    super(text);
    this.isWorthTrying = isWorthTrying;
  }
}

export function isArchive(file) {
  return /\.zip$/i.test(file.name);
}

export function isPdf(file) {
  return /\.pdf$/i.test(file.name);
}

export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0")).join("");
}

// An archive is answered with its documents, anything else with the one that it is.
export async function upload(file, key, password, onProgress) {
  for (let tried = 1; ; tried += 1) {
    const answer = await send(file, key, password, onProgress);
    if (answer.status === 202) return JSON.parse(answer.text);
    if (answer.status === 401) throw new SignedOut();
    const busy = answer.status === 0 || BUSY.has(answer.status);
    const pauseS = answer.retryAfterS || Math.min(2 ** tried, 20);
    const isOver = tried === TRIES || pauseS > PATIENCE_S;
    if (!busy || isOver) throw refusal(answer, busy);
    await pause(pauseS);
  }
}

export function pause(seconds) {
  return new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
}

function send(file, key, password, onProgress) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const done = () => resolve({
      status: request.status,
      text: request.responseText,
      retryAfterS: Number(request.getResponseHeader("Retry-After")),
    });
    request.open("POST", isArchive(file) ? "/v1/batches" : "/v1/documents");
    for (const [name, value] of Object.entries({ ...said(file, key, password), ...proof() })) {
      request.setRequestHeader(name, value);
    }
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    };
    request.onload = request.onerror = request.onabort = request.ontimeout = done;
    request.send(file);
  });
}

function said(file, key, password) {
  if (isArchive(file)) return { "Content-Type": "application/zip", "Idempotency-Key": key };
  return {
    "Content-Type": "application/octet-stream",
    "X-Filename": encodeURIComponent(file.name),
    "Idempotency-Key": key,
    ...(password && { "X-Document-Password": encodeURIComponent(password) }),
  };
}

function refusal(answer, isBusy) {
  if (answer.status === 0) return new Refused("The server cannot be reached.", isBusy);
  try {
    const problem = JSON.parse(answer.text);
    const text = problem.errors?.[0]?.detail || problem.detail || problem.title;
    return new Refused(text, isBusy || problem.type === CORRECTABLE);
  } catch {
    return new Refused(`The server answered ${answer.status}.`, isBusy);
  }
}
