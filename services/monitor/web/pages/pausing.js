// Stop a queue for a while, and let it run again: with a reason, and an end of its own.

import * as api from "./api.js";
import { Refused } from "./ask.js";
import { button } from "./make.js";
import { toast } from "./notices.js";
import { question } from "./question.js";
import { toastTrouble } from "./trouble.js";
import { titleOfQueue } from "./words.js";

const SPANS = [["600", "10 minutes"], ["3600", "An hour"], ["14400", "4 hours"], ["86400", "A day"], ["604800", "A week"]];

// Null where the person may not, or the queue cannot be paused.
export function steerButtons(home, queue, changed) {
  if (!queue.pausable || !home.may("queues:all:pause")) return null;
  const title = titleOfQueue(queue.name);
  const byHand = queue.pauses.some((one) => one.reason === "operator");
  return [
    byHand ? null : button("Pause…", () => pause(home, queue.name, title, changed),
      { "data-act": `pause ${queue.name}`, "aria-label": `Pause ${title}` }),
    queue.pauses.length ? button("Resume…", () => resume(home, queue, title, changed),
      { "data-act": `resume ${queue.name}`, "aria-label": `Resume ${title}` }) : null,
  ];
}

async function pause(home, name, title, changed) {
  const said = await question({ title: `Pause “${title}”`,
    about: "What is in hand is finished, what waits goes on waiting, and nothing more is taken until the time is over or somebody resumes it.",
    fields: [{ name: "reason", label: "Reason", kind: "long" },
      { name: "span", label: "For how long", kind: "pick", options: SPANS, value: "3600" }],
    submit: "Pause" });
  if (said) await steer(home, () => api.pauseQueue(name, said.reason, Number(said.span)), `“${title}” is being paused.`, changed);
}

async function resume(home, { name, pauses }, title, changed) {
  const isOwn = pauses.some((one) => one.reason !== "operator");
  const said = await question({ title: `Resume “${title}”`,
    about: isOwn ? "It paused by itself. If the cause is still there, it pauses again." : "It takes what waits at once.",
    fields: [{ name: "reason", label: "Reason", kind: "long" }], submit: "Resume" });
  if (said) await steer(home, () => api.resumeQueue(name, said.reason), `“${title}” is being resumed.`, changed);
}

// The service that owns the queue obeys a moment later, and the page shows when.
async function steer(home, act, words, changed) {
  try {
    await act();
    toast(words);
  } catch (error) {
    if (!(error instanceof Refused)) return home.failed(error);
    toastTrouble(error);
  }
  return changed();
}
