// What the desk asks a person before it acts, each question with its fields.

import { question } from "./question.js";
import { ENGINES, REASONS } from "./words.js";

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

// `names`: to whom it may be given, those of its level and above.
export const assignment = (names, level) => question({
  title: "Give it to somebody",
  about: "Nobody else is given it then. Whoever has it in hand loses it."
    + (level > LEVELS[0] ? ` It needs somebody of level ${level}.` : ""),
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
