// Questions that need more than a key: native dialogs, which keep the focus inside and close
// with Esc. Each answers what was said, or null when it was closed.

import { make } from "./make.js";
import { ENGINES, REASONS } from "./words.js";

let made = 0;

// `fields`: name, label, and kind (text, long, pick, moment); `options` for a pick.
export function question({ title, about, fields = [], submit, danger = false, content = null }) {
  made += 1;
  const id = `dialog-${made}`;
  const inputs = fields.map((field) => [field, control(field, `${id}-${field.name}`)]);
  const form = make("form", { method: "dialog", novalidate: true },
    make("h2", { id }, title),
    about ? make("p", { class: "muted" }, about) : null,
    content,
    inputs.map(([field, input]) => [
      make("label", { for: input.id }, field.label, field.optional
        ? make("span", { class: "muted" }, " (optional)") : null),
      field.help ? make("p", { class: "muted help", id: `${input.id}-help` }, field.help) : null,
      input,
    ]),
    make("p", { class: "error", role: "alert" }),
    make("div", { class: "dialog-acts" },
      make("button", { type: "button", class: "quiet small", value: "" }, "Cancel"),
      make("button", { type: "submit", class: `small ${danger ? "danger" : "primary"}` }, submit)));
  const dialog = make("dialog", { "aria-labelledby": id }, form);
  return new Promise((resolve) => {
    let answer = null;
    form.querySelector("button[type=button]").addEventListener("click", () => dialog.close());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const said = read(inputs, form.querySelector(".error"));
      if (said === null) return;
      answer = said;
      dialog.close();
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

function control(field, id) {
  const given = { id, name: field.name, "aria-describedby": field.help ? `${id}-help` : null };
  if (field.kind === "pick") {
    return make("select", given, field.options.map(([value, words]) =>
      make("option", { value }, words)));
  }
  if (field.kind === "long") return make("textarea", { ...given, rows: 3, maxlength: 2000 });
  const type = field.kind === "moment" ? "datetime-local" : "text";
  const input = make("input", { ...given, type, maxlength: 200, autocomplete: "off" });
  if (field.value) input.value = field.value;
  return input;
}

function read(inputs, error) {
  const said = {};
  for (const [field, input] of inputs) {
    const value = input.value.trim();
    const wrong = !value && !field.optional ? `${field.label} is missing.` : field.check?.(value);
    if (wrong) {
      error.textContent = wrong;
      input.setAttribute("aria-invalid", "true");
      input.focus();
      return null;
    }
    if (value) said[field.name] = value;
  }
  return said;
}

export const LEVELS = [1, 2, 3];
const WHY = { name: "reason", label: "Reason", kind: "long" };

export const rejection = () => question({
  title: "Reject this document",
  fields: [{ name: "reason_code", label: "Why", kind: "pick", options: REASONS },
    { ...WHY, label: "In words" }],
  submit: "Reject", danger: true,
});

export async function postponement() {
  const at = (days, hour) => {
    const when = new Date();
    when.setDate(when.getDate() + days);
    when.setHours(hour, 0, 0, 0);
    return when;
  };
  const day = new Date().getDay();
  const presets = [
    ["", "At another time, below"],
    [new Date(Date.now() + 3600e3).toISOString(), "In an hour"],
    [at(1, 8).toISOString(), "Tomorrow morning"],
    [at((8 - day) % 7 || 7, 8).toISOString(), "Monday morning"],
  ];
  const said = await question({
    title: "Postpone",
    about: "It comes back to the queue by itself.",
    fields: [
      { name: "preset", label: "Until", kind: "pick", optional: true,
        options: [...presets.slice(1), presets[0]] },
      { name: "moment", label: "Another time", kind: "moment", optional: true },
      WHY,
    ],
    submit: "Postpone",
  });
  if (!said) return null;
  const until = said.moment ? new Date(said.moment).toISOString() : said.preset;
  return until ? { until, reason: said.reason } : null;
}

export async function escalation(level) {
  const said = await question({
    title: "Ask somebody with more experience",
    about: "The document goes out of your hands, to reviewers of the level.",
    fields: [
      { name: "level", label: "Level", kind: "pick",
        options: LEVELS.filter((one) => one > level || one === LEVELS.at(-1))
          .map((one) => [String(one), `Level ${one}`]) },
      WHY,
    ],
    submit: "Escalate",
  });
  return said && { level: Number(said.level), reason: said.reason };
}

export const takeover = (holder) => question({
  title: `Take over from ${holder}`,
  about: "They are told, and it stays on record.",
  fields: [WHY], submit: "Take over",
});

export const reopening = () => question({
  title: "Open it again",
  about: "It becomes a new revision; what was approved stays on record.",
  fields: [WHY], submit: "Reopen",
});

// What is only data has one engine that can read it.
export const reextraction = (engines, hasPages) => question({
  title: "Have it read again",
  about: "What people confirmed is kept, whatever the machine reads.",
  fields: [
    ...hasPages ? [{ name: "engine", label: "By", kind: "pick", optional: true,
      options: [["", "The usual engines"], ...engines.map((one) => [one, ENGINES[one] ?? one])] }] : [],
    WHY,
  ],
  submit: "Read again",
});

// `names`: to whom it may be given.
export const assignment = (names) => question({
  title: "Give it to somebody",
  about: "Nobody else is given it then. Whoever has it in hand loses it.",
  fields: [{ name: "reviewer", label: "To", kind: "pick", optional: true,
    options: [...names.map(([name, words]) => [name, words]), ["", "Whoever asks next"]] }],
  submit: "Give",
});

export const duplication = (twins) => question({
  title: "Mark as a duplicate",
  fields: [
    twins.length
      ? { name: "of", label: "Of", kind: "pick", options: twins.map((one) =>
        [one.document_id, [one.filename, one.invoice_number, one.total].filter(Boolean).join(", ")]) }
      : { name: "of", label: "Id of the other document", kind: "text" },
    WHY,
  ],
  submit: "It is a duplicate", danger: true,
});

export async function splitting(pages) {
  const said = await question({
    title: "Split into several documents",
    about: `It has ${pages} pages. Each part becomes a document of its own.`,
    fields: [
      { name: "parts", label: "Pages of each part", kind: "text",
        help: "Parts are separated by semicolons, such as 1-2; 3",
        check: (text) => partsOf(text, pages) ? "" : "Write pages such as 1-2; 3, each once." },
      WHY,
    ],
    submit: "Split",
  });
  return said && { parts: partsOf(said.parts, pages), reason: said.reason };
}

export const override = (content) => question({
  title: "Approve all the same?",
  about: "Your reason stays on record.",
  content, fields: [WHY], submit: "Approve all the same", danger: true,
});

export function partsOf(text, last) {
  const seen = new Set();
  const parts = text.split(";").filter((one) => one.trim()).map((part) => {
    const pages = part.split(",").flatMap((piece) => {
      const found = /^\s*(\d{1,4})(?:\s*[-–]\s*(\d{1,4}))?\s*$/.exec(piece);
      if (!found) return [NaN];
      const [from, to] = [Number(found[1]), Number(found[2] ?? found[1])];
      return from <= to ? [...Array(to - from + 1).keys()].map((one) => one + from) : [NaN];
    });
    return { pages };
  });
  const all = parts.flatMap((one) => one.pages);
  const isGood = parts.length > 1 && all.every((page) =>
    page >= 1 && page <= last && !seen.has(page) && seen.add(page));
  return isGood ? parts : null;
}
