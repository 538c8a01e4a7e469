// A box on a page, by its shares of it.

import { make } from "./make.js";

export function boxOf(kind, [left, top, right, bottom]) {
  const box = make("div", { class: `mark ${kind}` });
  Object.assign(box.style, {
    left: `${100 * left}%`, top: `${100 * top}%`,
    width: `${100 * (right - left)}%`, height: `${100 * (bottom - top)}%`,
  });
  return box;
}
