// The keys of a page, on one sheet; and where a key is a letter that somebody types.

import { button, make } from "./make.js";

export function isTyping(target) {
  return target.isContentEditable
    || target.matches?.("textarea, select, input:not([type=radio], [type=checkbox], [type=button])");
}

// `keys`: sections of a title and what each key does.
export function showHelp(keys) {
  if (document.querySelector("dialog[open]")) return;
  const dialog = make("dialog", { class: "wide help-sheet", "aria-labelledby": "help-title" },
    make("div", { class: "help-head" }, make("h2", { id: "help-title" }, "Keys"),
      button("Close", () => dialog.close())),
    make("div", { class: "help-columns" }, keys.map(([title, lines]) => make("section", {},
      make("h3", {}, title),
      make("dl", {}, lines.map(([key, words]) => make("div", { class: "key-row" },
        make("dt", {}, key.split(", ").map((one, at) => [at ? ", " : null, make("kbd", {}, one)]).flat()
          .filter(Boolean)),
        make("dd", {}, words))))))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
