// What the page tells the person: a sentence for who cannot see, a message with a way to act on
// it, and the one line at the top when something is wrong.

import { button, make, part } from "./make.js";

export function say(words) {
  part("said").textContent = words;
}

export function warn(words) {
  part("notice").textContent = words;
  part("notice").hidden = !words;
}

// Ends by itself; `act` is offered until then. Returns how to take it away.
export function toast(words, { act, label, forMs = 6000, kind = "" } = {}) {
  const left = make("span", { class: "toast-left", "aria-hidden": "true" });
  const shown = make("div", { class: `toast ${kind}` }, make("span", {}, words),
    act ? button(label, () => {
      end();
      act();
    }, { kind: "quiet small toast-act" }) : null, act ? left : null);
  const until = Date.now() + forMs;
  const timer = setInterval(() => {
    const rest = Math.ceil((until - Date.now()) / 1000);
    left.textContent = `${rest} s`;
    if (rest <= 0) end();
  }, 250);
  function end() {
    clearInterval(timer);
    shown.remove();
  }
  part("toasts").append(shown);
  say(words);
  return end;
}
