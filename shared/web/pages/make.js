// Elements from names and words. Text is set as text and nothing else, whoever wrote it; what
// turns the writing round is taken out, because it can make one amount look like another.

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = {
  bolt: "M9 1 3 9h4l-1 6 6-8H8z",
  tick: "M3 8.5 6.5 12 13 4.5",
  dot: "M8 3v6M8 12v1",
  cross: "M4 4l8 8M12 4l-8 8",
  lock: "M4 7h8v6H4zM6 7V5a2 2 0 0 1 4 0v2",
  empty: "M4 8h8",
  plus: "M8 3v10M3 8h10",
  join: "M8 14V7M5 9.5 8 6.5l3 3M3 3h10",
  copy: "M3 3h7v7H3zM6 10v3h7V6h-3",
  turn: "M12.5 6A5 5 0 1 0 13 9M13 3v3.5H9.5",
  wide: "M2 8h12M5 5 2 8l3 3M11 5l3 3-3 3",
  minus: "M3 8h10",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 5v3l2 2",
};

// `given`: attributes by name, `on` for what happens, true for an attribute without a value.
export function make(name, given = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") {
      for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
    } else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined));
  return element;
}

// The same for what is drawn.
export function draw(name, given = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(given)) element.setAttribute(key, String(value));
  element.append(...children.flat(Infinity));
  return element;
}

export function icon(name) {
  return draw("svg", { viewBox: "0 0 16 16", class: `icon icon-${name}`, "aria-hidden": "true" },
    draw("path", { d: SHAPES[name] }));
}

// How much of a whole, as a bar; the number stands beside it.
export function bar(share) {
  return draw("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    draw("rect", { width: Math.round(100 * Math.max(0, share)), height: 10 }));
}

export function button(words, act, more = {}) {
  const { kind = "quiet small", ...given } = more;
  return make("button", { type: "button", class: kind, ...given, on: { click: act } }, words);
}

export function part(id) {
  return document.getElementById(id);
}

export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((one) => one !== null && one !== undefined));
}

// Controls, and marks of direction; a line break in a value becomes a space.
export function plain(text) {
  return String(text ?? "")
    .replace(/[\t\n\r]+/g, " ")
    .replace(/[\p{Cc}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, "");
}
