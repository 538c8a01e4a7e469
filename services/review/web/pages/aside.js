// What somebody had typed when their sign-in ended. It stays in this page and nowhere else: the
// page waits until the same person has signed in in another window, and is then as it was.

import { button, make } from "./make.js";
import { toast } from "./notices.js";

// Also what is under way: nobody knows whether it arrived. Null when there is nothing.
export function typedIn({ id, form, isReadOnly }) {
  const changes = isReadOnly ? [] : form.entries().map((one) => one.change()).filter(Boolean);
  return changes.length ? { id, changes } : null;
}

export function putBack({ id, form, isReadOnly }, typed) {
  if (typed?.id !== id || isReadOnly) return;
  for (const { path, value, evidence } of typed.changes) {
    form.entry(path)?.fill(value ?? "", evidence?.[0] ?? null);
  }
  toast("What you had typed is here again.");
}

export function waiting(signInUrl, goOn) {
  return make("section", { class: "sign-in", "aria-labelledby": "title" },
    make("h1", { id: "title", tabindex: "-1" }, "You were signed out"),
    make("p", {}, "What you typed is still here. Sign in in another window, then go on in this one."),
    make("p", { class: "sign-in-acts" },
      make("a", { class: "button primary", id: "sign-in-link", href: `${signInUrl}/#review`,
        target: "_blank", rel: "noopener" }, "Sign in"),
      button("Go on", goOn)));
}
