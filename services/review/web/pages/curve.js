// How right the machine was when it was how sure, drawn: a dot for each tenth of sureness, the
// larger the more values it stands for. The same is in a table below, for who sees no picture.

import { draw } from "./make.js";
import { percent } from "./words.js";

const WIDTH = 520, HEIGHT = 300;
const LEFT = 52, RIGHT = 24, TOP = 12, BOTTOM = 40;
const TICKS = [0, .25, .5, .75, 1];
const DOT_MIN = 4, DOT_MAX = 12;

export function curveOf(bins) {
  const most = Math.max(...bins.map((one) => one.values));
  const dots = bins.map((one) => ({
    x: acrossAt(one.confidence), y: upAt(one.right / one.values),
    r: DOT_MIN + (DOT_MAX - DOT_MIN) * Math.sqrt(one.values / most),
  }));
  return draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "curve", role: "img",
    "aria-label": bins.map((one) => `${percent(one.confidence)} sure, ${percent(one.right / one.values)} right`).join("; ") },
  TICKS.map(tick),
  draw("line", { class: "ideal", x1: acrossAt(0), y1: upAt(0), x2: acrossAt(1), y2: upAt(1) }),
  draw("polyline", { class: "seen", points: dots.map(({ x, y }) => `${x},${y}`).join(" ") }),
  dots.map(({ x, y, r }) => draw("circle", { cx: x, cy: y, r })),
  draw("text", { x: acrossAt(.5), y: HEIGHT - 4, class: "axis" }, "How sure it was"),
  draw("text", { x: -upAt(.5), y: 12, class: "axis", transform: "rotate(-90)" }, "How often it was right"));
}

function tick(at) {
  return [
    draw("line", { class: "grid-line", x1: acrossAt(0), y1: upAt(at), x2: acrossAt(1), y2: upAt(at) }),
    draw("text", { x: LEFT - 6, y: upAt(at) + 4, class: "tick-left" }, percent(at)),
    draw("text", { x: acrossAt(at), y: HEIGHT - BOTTOM + 16, class: "tick-below" }, percent(at)),
  ];
}

function acrossAt(share) {
  return LEFT + share * (WIDTH - LEFT - RIGHT);
}

function upAt(share) {
  return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
}
