// What a job wrote before it died, with the stack of what stopped it. A customer's words may stand
// in it, so it is fetched only when somebody asks, and the look is recorded.

import * as api from "./api.js";
import { button, fill, make, plain } from "./make.js";
import { card } from "./rows.js";
import { told } from "./trouble.js";

export function stackOf(home, letterId) {
  if (!home.may("dlq:log:view")) return null;
  const shown = make("div", { "aria-live": "polite" });
  return card("Stack and log",
    make("p", { class: "muted" }, "Of the newest letter, attempt by attempt. That you look is recorded."),
    make("p", { class: "acts" }, button("Show the stack", () => show(letterId, shown), { "data-act": "stack" })), shown);
}

async function show(letterId, shown) {
  try {
    const { attempts } = await api.log(letterId);
    fill(shown, attempts.length ? attempts.map(attemptOf)
      : make("p", { class: "muted" }, "Its job kept no log; not every kind does."));
  } catch (error) {
    fill(shown, make("p", { class: "error", role: "alert" }, told(error)));
  }
}

function attemptOf({ attempt, text }) {
  const lines = text.split("\n").filter(Boolean).map(read);
  return make("section", { class: "attempt" }, make("h3", {}, `Attempt ${attempt}`), lines.map(({ time, event, level, stack, rest }) => [
    make("p", { class: "log-line" }, make("span", { class: "muted" }, plain(time)), ` ${plain(level)} `, make("strong", {}, plain(event)),
      rest ? make("span", { class: "muted" }, ` ${plain(rest)}`) : null),
    stack ? make("pre", { class: "code", tabindex: "0", role: "region", "aria-label": `Stack of attempt ${attempt}` }, controlled(stack)) : null,
  ]));
}

// Of a service they are JSON; whatever else stands there is shown as it is.
function read(line) {
  try {
    const { time = "", level = "", event = "", stack = "", error = "" } = JSON.parse(line);
    return { time, level, event, stack, rest: error };
  } catch {
    return { time: "", level: "", event: line, stack: "", rest: "" };
  }
}

// Lines stay lines, and nothing turns them round.
export function controlled(text) {
  return String(text).split("\n").map((line) => line.replace(/^[ \t]+/, (space) => space.replaceAll("\t", "  ")))
    .map((line) => /^ */.exec(line)[0] + plain(line)).join("\n");
}
