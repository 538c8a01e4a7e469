// One file on its way to the server. The key stays the same for all tries of a file, so a try
// whose answer was lost makes no second document. XMLHttpRequest, because fetch tells nothing
// about what it has sent.

import { SignedOut, proof } from "./session.js";

const TRIES = 6;
// Whoever is told to come back later than this is told so, instead of watching a bar stand still.
const PATIENCE_S = 60;
const BUSY = new Set([408, 429, 502, 503, 504]);

export class Refused extends Error {
  constructor(text, isWorthTrying) {
    super(text);
    this.isWorthTrying = isWorthTrying;
  }
}

export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0")).join("");
}

export async function upload(file, key, onProgress) {
  for (let tried = 1; ; tried += 1) {
    const answer = await send(file, key, onProgress);
    if (answer.status === 202) return JSON.parse(answer.text);
    if (answer.status === 401) throw new SignedOut();
    const busy = answer.status === 0 || BUSY.has(answer.status);
    const pauseS = answer.retryAfterS || Math.min(2 ** tried, 20);
    const isOver = tried === TRIES || pauseS > PATIENCE_S;
    if (!busy || isOver) throw new Refused(sentence(answer), busy);
    await pause(pauseS);
  }
}

export function pause(seconds) {
  return new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
}

function send(file, key, onProgress) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const done = () => resolve({
      status: request.status,
      text: request.responseText,
      retryAfterS: Number(request.getResponseHeader("Retry-After")),
    });
    request.open("POST", "/v1/documents");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-Filename", encodeURIComponent(file.name));
    request.setRequestHeader("Idempotency-Key", key);
    for (const [name, value] of Object.entries(proof())) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    };
    request.onload = request.onerror = request.onabort = request.ontimeout = done;
    request.send(file);
  });
}

function sentence(answer) {
  if (answer.status === 0) return "The server cannot be reached.";
  try {
    const problem = JSON.parse(answer.text);
    return problem.errors?.[0]?.detail || problem.detail || problem.title;
  } catch {
    return `The server answered ${answer.status}.`;
  }
}
