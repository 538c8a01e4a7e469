// What to do when the server does not take a change: tell the field, tell the person that the
// item is in other hands, or join what two people changed.

import { choose, clashes } from "./conflict.js";
import { plain } from "./make.js";
import { say, toast } from "./notices.js";

export function refused(item, error, changes) {
  if ([404, 409, 410].includes(error.status)) return item.lose(error);
  const told = (error.problem.errors ?? [])
    .map((one) => [changes[/changes\/(\d+)/.exec(one.pointer ?? "")?.[1]], one])
    .filter(([change]) => change?.path);
  for (const [change, one] of told) {
    item.form.entry(change.path)?.fail(one.message ?? one.detail ?? error.message);
  }
  if (!told.length) {
    for (const { path } of changes) if (path) item.form.entry(path)?.fail(error.message);
  }
  item.showDoubts();
  return say(`Not kept: ${error.message}`);
}

// The changes to send after all, with the version that is current now.
export async function joined(item, { theirs, changes, before }) {
  const found = clashes({ theirs, changes, before, detail: item.detail });
  if (!found.length) {
    const names = [...new Set(theirs.map((one) => one.by).filter(Boolean))].map(plain);
    toast(`${names.join(", ") || "Somebody"} changed other fields meanwhile; both are kept.`);
    return changes;
  }
  item.conflicts += 1;
  const kept = new Set(await choose(found));
  const given = new Set(found.map((one) => one.path).filter((path) => !kept.has(path)));
  for (const path of given) item.form.entry(path)?.restore();
  return changes.filter((one) => !given.has(one.path)).map((one) => stated(one, found));
}

// What was only confirmed has another value by now: the person's has to be said.
function stated(change, found) {
  const clash = change.op === "confirm" && found.find((one) => one.path === change.path);
  if (!clash) return change;
  const { path } = change;
  return clash.yours === null ? { op: "clear", path } : { op: "set", path, value: clash.yours };
}
