// Mend one message and send it on: what is typed is compared with what failed, line by line of its
// fields, before anything is sent. Whose document it is cannot be changed.

import * as api from "./api.js";
import { fill, make, plain } from "./make.js";
import { rows } from "./rows.js";
import { told } from "./trouble.js";

const LOCKED = ["document_id", "owner_id", "accepted_at", "cause_id"];

// True when it was sent; false when the person thought better of it.
export async function mend(letterId, version) {
  const { body: text } = await api.payload(letterId);
  const { body } = JSON.parse(text);
  const locked = Object.fromEntries(Object.entries(body).filter(([name]) => LOCKED.includes(name)));
  const open = Object.fromEntries(Object.entries(body).filter(([name]) => !LOCKED.includes(name)));
  return new Promise((resolve) => show({ letterId, version, locked, open, resolve }));
}

function show({ letterId, version, locked, open, resolve }) {
  const entry = make("textarea", { id: "mended", class: "code", rows: 12, spellcheck: "false", autocapitalize: "off",
    "aria-describedby": "mended-help", value: JSON.stringify(open, null, 2) });
  const reason = make("textarea", { id: "mended-reason", rows: 2, maxlength: 1000 });
  const diff = make("div", { id: "diff", "aria-live": "polite" });
  const error = make("p", { class: "error", role: "alert" });
  const send = make("button", { type: "submit", class: "small primary", disabled: true }, "Send the mended message");
  const form = make("form", { method: "dialog", novalidate: true },
    make("h2", { id: "mend-title" }, "Edit and replay"),
    make("p", { class: "muted", id: "mended-help" }, "The letter stays as it failed; what you make of it goes on as a job of its own. "
      + `Locked: ${Object.keys(locked).map((name) => plain(name)).join(", ")}.`),
    make("label", { for: "mended" }, "Message"), entry,
    make("h3", {}, "What changes"), diff,
    make("label", { for: "mended-reason" }, "Reason"), reason, error,
    make("div", { class: "dialog-acts" }, make("button", { type: "button", class: "quiet small" }, "Cancel"), send));
  const dialog = make("dialog", { class: "wide", "aria-labelledby": "mend-title" }, form);
  let isSent = false;
  const compare = () => {
    const [changes, wrong] = changesOf(open, entry.value);
    send.disabled = !changes?.length;
    fill(diff, wrong ? make("p", { class: "error" }, wrong) : changes.length ? diffRows(changes)
      : make("p", { class: "muted" }, "Nothing yet."));
  };
  entry.addEventListener("input", compare);
  form.querySelector("button[type=button]").addEventListener("click", () => dialog.close());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!reason.value.trim()) {
      fill(error, "Reason is missing.");
      return reason.focus();
    }
    send.disabled = true;
    try {
      await api.mendLetter(letterId, patchOf(open, JSON.parse(entry.value)), reason.value.trim(), version);
      isSent = true;
      return dialog.close();
    } catch (failure) {
      send.disabled = false;
      return fill(error, told(failure));
    }
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    resolve(isSent);
  });
  compare();
  document.body.append(dialog);
  dialog.showModal();
}

function diffRows(changes) {
  return rows("What changes", ["Field", "Failed with", "Goes on with"], changes.map(([path, was, is]) => [
    make("code", {}, plain(path)), make("del", {}, textOf(was)), make("ins", {}, textOf(is))]), { "data-list": "diff" });
}

function textOf(value) {
  return value === undefined ? "nothing" : plain(JSON.stringify(value));
}

// Each field that is another, by its path; or why the text cannot be read.
function changesOf(before, text) {
  let after;
  try {
    after = JSON.parse(text);
  } catch (error) {
    return [null, `This is no JSON: ${error.message}`];
  }
  if (!isObject(after)) return [null, "A message is an object: { … }."];
  const named = LOCKED.filter((name) => name in after);
  if (named.length) return [null, `${named.join(", ")} cannot be changed.`];
  return [differences(before, after, ""), ""];
}

function differences(before, after, under) {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [was, is] = [before[name], after[name]];
    const path = under ? `${under}.${name}` : name;
    if (isObject(was) && isObject(is)) return differences(was, is, path);
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [[path, was, is]];
  });
}

// A JSON Merge Patch (RFC 7396): what is gone is null in it.
export function patchOf(before, after) {
  const patch = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[name], after[name]];
    if (JSON.stringify(was) === JSON.stringify(is)) continue;
    if (is === undefined) patch[name] = null;
    else patch[name] = isObject(was) && isObject(is) ? patchOf(was, is) : is;
  }
  return patch;
}

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
