// The keys of the desk. In a text field only what nobody types goes by itself: Enter, Esc, the
// arrows up and down, and what is held together with Alt or Ctrl. Digits pick a candidate by
// themselves only where no text is typed.

import { isTyping } from "./keys.js";
import { pasted, tableOf } from "./lines.js";

const PICK = /^(?:Digit|Numpad)([1-3])$/;

export const KEYS = [
  ["In the form", [
    ["Enter", "This is right: on to the next that needs a look. After the last: approve, and the next document"],
    ["Shift Enter", "The same, backwards"],
    ["Tab, Shift Tab", "The next or previous that needs a look, without saying anything"],
    ["↓, ↑", "The next or previous field, also of those that are sure; in a grid, the next or previous row"],
    ["Alt 1, 2, 3", "Take a candidate; without Alt when no text field has the focus"],
    ["Esc", "Undo what was typed here; once more: out of the text, so that 1, 2, 3 work alone"],
    ["Ctrl Z", "Undo the last change of this document"],
    ["Ctrl Enter", "Approve"],
  ]],
  ["In lines", [
    ["Alt Enter", "Insert a row below"],
    ["Alt Shift Enter", "Duplicate the row"],
    ["Alt Backspace", "Remove the row"],
    ["Alt ↑", "Join the row to the one above: they were one line"],
    ["Paste", "Cells of a spreadsheet; a first row with names says which column is which"],
  ]],
  ["On the page", [
    ["Click, drag", "Fill the current field with a word, or with several"],
    ["Alt +, Alt −, Alt 0", "Larger, smaller, fit the width"],
    ["Alt R", "Turn"],
    ["Page Down, Page Up", "The next or previous page"],
  ]],
  ["Anywhere", [
    ["?", "This help, when no text is typed"],
    ["Alt Q", "The queue"],
    ["Alt N", "The next document, without deciding this one"],
  ]],
];

export function onKey(event, item) {
  if (event.defaultPrevented || event.isComposing) return;
  const entry = item.form.entries().find((one) => one.input === event.target);
  const act = pageKey(event, item) ?? (entry ? entryKey(event, item, entry) : looseKey(event, item));
  if (!act) return;
  event.preventDefault();
  act();
}

function pageKey(event, { sheet, deciding }) {
  if (event.ctrlKey || event.metaKey) return event.key === "Enter" ? () => deciding.approve() : null;
  if (event.key === "PageDown") return () => sheet.turnPage(1);
  if (event.key === "PageUp") return () => sheet.turnPage(-1);
  if (!event.altKey) return null;
  return {
    Equal: () => sheet.zoomBy(1.25), NumpadAdd: () => sheet.zoomBy(1.25),
    BracketRight: event.key === "+" ? () => sheet.zoomBy(1.25) : undefined,
    Minus: () => sheet.zoomBy(0.8), NumpadSubtract: () => sheet.zoomBy(0.8),
    Slash: event.key === "-" ? () => sheet.zoomBy(0.8) : undefined,
    Digit0: () => sheet.fit(), KeyR: () => sheet.turnRight(),
  }[event.code];
}

function entryKey(event, item, entry) {
  const { altKey, shiftKey } = event;
  if (event.ctrlKey || event.metaKey) {
    // While words are typed it is the browser's own undo.
    return isUndo(event) && !shiftKey && !entry.isDirty ? () => item.undo() : null;
  }
  const digit = altKey && PICK.exec(event.code);
  if (digit) return () => item.pick(entry, Number(digit[1]) - 1);
  if (altKey) return entry.cell?.lines.group === "lines" ? rowKey(event, item, entry.cell) : null;
  return {
    Enter: () => !item.isReadOnly && item.accept(entry, shiftKey ? -1 : 1),
    ArrowDown: () => item.form.neighbour(entry, 1)?.focus(),
    ArrowUp: () => item.form.neighbour(entry, -1)?.focus(),
    Escape: () => escape(item, entry),
  }[event.key];
}

// The letter and not its place: a German keyboard has Y where others have Z. Windows says Ctrl
// and Alt for AltGr, by which Polish words are typed.
function isUndo({ key, altKey }) {
  return key.toLowerCase() === "z" && !altKey;
}

function rowKey(event, item, { lines, at }) {
  return {
    Enter: () => event.shiftKey ? item.rows(lines, "duplicate", at) : item.rows(lines, "insert", at + 1),
    Backspace: () => item.rows(lines, "remove", at),
    ArrowUp: at > 0 ? () => item.rows(lines, "join", at) : null,
  }[event.key];
}

function escape(item, entry) {
  if (entry.isDirty || entry.error) return entry.restore();
  // Out of the text; the field itself is where the digits work.
  (entry.input.closest(".field") ?? item.element).focus();
}

// Where no text is typed: the digits for the field the person was in, Enter to go on.
function looseKey(event, item) {
  const entry = item.form.current;
  if (!entry || isTyping(event.target)) return null;
  if ((event.ctrlKey || event.metaKey) && isUndo(event)) return () => item.undo();
  const digit = PICK.exec(event.code);
  if (digit && !event.shiftKey) return () => item.pick(entry, Number(digit[1]) - 1);
  if (event.target !== entry.input.closest(".field")) return null;
  return {
    Enter: () => !item.isReadOnly && item.accept(entry),
    ArrowDown: () => entry.focus(), ArrowUp: () => entry.focus(),
  }[event.key];
}

export function onPaste(event, item) {
  const entry = item.form.entries().find((one) => one.input === event.target);
  const text = event.clipboardData?.getData("text/plain") ?? "";
  const table = tableOf(text);
  if (item.isReadOnly || !entry?.cell || table.length < 2 && table[0].length < 2) return;
  event.preventDefault();
  item.paste(pasted(entry, text));
}
