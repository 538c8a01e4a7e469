// Questions that need more than a key: native dialogs, which keep the focus inside and close
// with Esc. Each answers what was said, or null when it was closed.

import { make } from "./make.js";

let made = 0;

// `fields`: name, label, and kind (text, long, pick, moment, number); `options` for a pick, `given`
// for further attributes.
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
    // At once: the event `close` comes later than the next key, which would find a question that
    // nobody sees still being asked.
    const end = (answer) => {
      dialog.close();
      dialog.remove();
      resolve(answer);
    };
    form.querySelector("button[type=button]").addEventListener("click", () => end(null));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const said = read(inputs, form.querySelector(".error"));
      if (said !== null) end(said);
    });
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      end(null);
    });
    // However else a browser may close it.
    dialog.addEventListener("close", () => end(null));
    document.body.append(dialog);
    dialog.showModal();
  });
}

function control(field, id) {
  const given = { id, name: field.name, "aria-describedby": field.help ? `${id}-help` : null,
    ...field.given };
  if (field.kind === "pick") {
    return make("select", given, field.options.map(([value, words]) =>
      make("option", { value, selected: value === field.value }, words)));
  }
  if (field.kind === "long") {
    return make("textarea", { rows: 3, maxlength: 2000, ...given, value: field.value });
  }
  const type = { moment: "datetime-local", number: "number" }[field.kind] ?? "text";
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
