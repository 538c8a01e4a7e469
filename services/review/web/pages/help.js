// The keys, on one sheet.

import { button, make } from "./make.js";
import { KEYS } from "./typing.js";

export function showHelp() {
  if (document.querySelector("dialog[open]")) return;
  const dialog = make("dialog", { class: "wide help-sheet", "aria-labelledby": "help-title" },
    make("div", { class: "help-head" }, make("h2", { id: "help-title" }, "Keys"),
      button("Close", () => dialog.close())),
    make("div", { class: "help-columns" }, KEYS.map(([title, keys]) => make("section", {},
      make("h3", {}, title),
      make("dl", {}, keys.map(([key, words]) => make("div", { class: "key-row" },
        make("dt", {}, key.split(", ").map((one, at) => [at ? ", " : null, make("kbd", {}, one)]).flat()
          .filter(Boolean)),
        make("dd", {}, words))))))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
