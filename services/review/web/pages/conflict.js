// Two people changed the same item. What does not touch is joined without a word; for what does,
// the person sees both values of each field and picks one.

import { make, plain } from "./make.js";
import { timeOf, titleOf } from "./words.js";

// The fields in which both sides said something different, and what each said.
export function clashes({ theirs, changes, detail, before }) {
  const mine = new Map(changes.filter((one) => one.path).map((one) => [one.path, one]));
  return theirs.filter((one) => mine.has(one.path)).map((one) => {
    const change = mine.get(one.path);
    const field = detail.fields.find((other) => other.path === one.path);
    const seen = before.fields.find((other) => other.path === one.path);
    const yours = change.op === "confirm" ? seen?.value ?? null : change.value ?? null;
    return { ...one, yours, theirs: one.theirs ?? field?.value ?? null,
      label: field?.label ?? titleOf(one.path), change };
  }).filter((one) => plain(one.yours) !== plain(one.theirs));
}

// The paths for which the person keeps their own value; null when the dialog was closed.
export function choose(found) {
  const id = "conflict-title";
  const names = [...new Set(found.map((one) => one.by).filter(Boolean))];
  const rows = found.map((one, at) => row(one, at));
  const form = make("form", { method: "dialog" },
    make("h2", { id }, "Changed by two people"),
    make("p", { class: "muted" }, `${names.map(plain).join(" and ") || "Somebody"} changed this `
      + "document after you opened it. Pick what is right for each field."),
    make("table", { class: "conflict" },
      make("thead", {}, make("tr", {},
        ...["Field", "Yours", "Theirs"].map((one) => make("th", { scope: "col" }, one)))),
      make("tbody", {}, rows)),
    make("div", { class: "dialog-acts" },
      make("button", { type: "button", class: "quiet small" }, "Take all of theirs"),
      make("button", { type: "submit", class: "primary small" }, "Keep what I picked")));
  const dialog = make("dialog", { class: "wide", "aria-labelledby": id }, form);
  return new Promise((resolve) => {
    let kept = [];
    form.querySelector("button[type=button]").addEventListener("click", () => dialog.close());
    form.addEventListener("submit", () => {
      kept = found.filter((_, at) => form.elements[`pick-${at}`].value === "yours");
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(kept.map((one) => one.path));
    });
    document.body.append(dialog);
    dialog.showModal();
    form.querySelector("input").focus();
  });
}

function row(one, at) {
  const side = (name, value, note) => make("td", {},
    make("label", { class: "side" },
      make("input", { type: "radio", name: `pick-${at}`, value: name, checked: name === "yours",
        "aria-label": `${one.label}, ${name}: ${plain(value) || "empty"}` }),
      make("span", { class: "side-value" }, plain(value) || "(empty)"),
      make("span", { class: "muted" }, note)));
  const by = [one.by, one.at && timeOf(one.at)].filter(Boolean).map(plain).join(", ");
  return make("tr", {}, make("th", { scope: "row" }, one.label),
    side("yours", one.yours, "you, just now"), side("theirs", one.theirs, by));
}
