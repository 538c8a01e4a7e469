// How times, shares and numbers are said. English, with the person's own way to write numbers.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function percent(share) {
  return `${Math.round(100 * share)} %`;
}

// A span as a person says it: one unit, rounded down.
export function span(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min`;
  if (whole < 2 * DAY) return `${Math.floor(whole / HOUR)} h`;
  return `${Math.floor(whole / DAY)} days`;
}

export function since(moment) {
  return `${span((Date.now() - Date.parse(moment)) / 1000)} ago`;
}

export function timeOf(moment) {
  const when = new Date(moment);
  const today = when.toDateString() === new Date().toDateString();
  return when.toLocaleString(undefined, today
    ? { hour: "2-digit", minute: "2-digit" }
    : { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

export function count(number, one, many) {
  return `${number} ${number === 1 ? one : many}`;
}

// A name for a path that has none: `seller.vat_id` → Vat id.
export function titleOf(path) {
  const last = path.split(".").at(-1).replaceAll("_", " ");
  return last.charAt(0).toUpperCase() + last.slice(1);
}
