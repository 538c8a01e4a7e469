// Whether somebody sits before the page. What a page asks by itself must not look like a person to
// the server: neither an item nor a sign-in is held for an empty chair.

const IDLE_MS = 5 * 60_000;

let lastSeen = Date.now();
for (const event of ["keydown", "pointerdown", "pointermove", "wheel"]) {
  addEventListener(event, () => { lastSeen = Date.now(); }, { passive: true, capture: true });
}

export function isSomebodyThere() {
  return !document.hidden && Date.now() - lastSeen <= IDLE_MS;
}
