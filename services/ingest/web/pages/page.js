// The page: sign in, take files, a few uploads at a time, and follow each to its end.

import { Entrance } from "./entrance.js";
import { Row, size } from "./row.js";
import { SignedOut, resume, signOut } from "./session.js";
import { Follower } from "./status.js";
import { Refused, isArchive, isPdf, newKey, upload } from "./upload.js";

const AT_ONCE = 3;
const part = (id) => document.getElementById(id);
const told = (name) => Number(document.querySelector(`meta[name=${name}]`).content);
const bytesMax = told("upload-bytes-max");
const archiveMax = told("archive-bytes-max");

const rows = [];
const waiting = [];
let running = 0;
let isSignedIn = false;
// Whose files these rows are; somebody else begins with an empty page.
let owner = "";
// Whoever came from the review or the console to sign in goes back there; to nowhere else.
const HOMES = {
  review: document.querySelector("meta[name=review-url]").content,
  console: document.querySelector("meta[name=console-url]").content,
};
const entrance = new Entrance((session) => showWork(session));
const follower = new Follower(() => showSignIn("Your session has ended. Please sign in again."));

async function start() {
  part("size-max").textContent = ` up to ${size(bytesMax)} each`;
  part("archive-max").textContent = ` up to ${size(archiveMax)}`;
  part("sign-out").addEventListener("click", onSignOut);
  part("clear").addEventListener("click", clearFinished);
  part("files").addEventListener("change", (event) => {
    take(event.target.files);
    event.target.value = "";
  });
  takeDrops();
  // Shown again from the browser's memory, it would show what somebody saw who has signed out.
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  try {
    showWork(await resume());
  } catch (error) {
    showSignIn(error instanceof SignedOut ? "" : error.message);
  }
}

async function onSignOut() {
  try {
    await signOut();
  } finally {
    // The page anew: no upload that is still under way may go on in the next person's name.
    location.reload();
  }
}

function showSignIn(text) {
  isSignedIn = false;
  notice(text);
  part("work").hidden = part("account").hidden = true;
  entrance.show();
}

function showWork(session) {
  if (owner && owner !== session.owner_id) return location.reload();
  owner = session.owner_id;
  isSignedIn = true;
  const [home, ...rest] = entrance.place.split("/");
  if (HOMES[home]) return location.replace(placeOf(home, rest.join("/")));
  notice("");
  entrance.hide();
  part("owner").textContent = session.name;
  part("work").hidden = part("account").hidden = false;
  part("title").focus();
  if (!session.permissions.includes("documents:own:create")) {
    notice("You may look at documents, but not upload any.");
    part("files").disabled = true;
  }
  follower.resume();
  next();
}

function placeOf(home, rest) {
  const place = home === "review" && rest ? `item/${rest}` : rest;
  return `${HOMES[home]}/${place ? `#${place}` : ""}`;
}

function notice(text) {
  part("notice").textContent = text;
  part("notice").hidden = !text;
}

function takeDrops() {
  const area = part("drop");
  // A file that misses the area would replace the page.
  for (const name of ["dragover", "drop"]) {
    document.addEventListener(name, (event) => event.preventDefault());
  }
  area.addEventListener("dragover", () => area.classList.add("over"));
  area.addEventListener("dragleave", (event) => {
    if (!area.contains(event.relatedTarget)) area.classList.remove("over");
  });
  area.addEventListener("drop", (event) => {
    area.classList.remove("over");
    if (!part("files").disabled) take(event.dataTransfer.files);
  });
}

function take(files) {
  for (const file of files) {
    const job = { file, key: newKey(), password: passwordFor(file) };
    job.row = addRow(new Row(file, () => {
      job.row.isFinal = false;
      job.row.show("waiting", 0, size(file.size));
      job.password = passwordFor(file);
      waiting.push(job);
      next();
    }));
    const most = isArchive(file) ? archiveMax : bytesMax;
    if (file.size > most) job.row.showRefused(`Too large: at most ${size(most)}.`, false);
    else if (file.size === 0) job.row.showRefused("The file is empty.", false);
    else waiting.push(job);
  }
  summarise();
  next();
}

function addRow(row) {
  rows.push(row);
  part("rows").prepend(row.element);
  return row;
}

function passwordFor(file) {
  return isPdf(file) ? part("password").value : "";
}

function next() {
  while (isSignedIn && running < AT_ONCE && waiting.length) run(waiting.shift());
}

async function run(job) {
  running += 1;
  try {
    job.row.showUpload(0);
    const { file, key, password, row } = job;
    const accepted = await upload(file, key, password, (sent) => row.showUpload(sent));
    if (isArchive(file)) unpack(accepted, row);
    else follow(accepted, row);
  } catch (error) {
    failed(job, error);
  } finally {
    running -= 1;
    summarise();
    next();
  }
}

function follow(accepted, row) {
  row.showStatus({ ...accepted, progress: 0 }, false);
  follower.follow(accepted.links, (status, isFinal) => {
    row.showStatus(status, isFinal);
    summarise();
  });
}

function unpack(batch, row) {
  for (const one of batch.items) {
    const own = `/v1/documents/${one.document_id}`;
    const links = { status: `${own}/status`, events: `${own}/events`, result: `${own}/result` };
    follow({ ...one, links }, addRow(new Row({ name: one.filename })));
  }
  for (const one of batch.rejected) {
    addRow(new Row({ name: one.filename })).showRefused(one.detail || one.reason, false);
  }
  row.showUnpacked(batch.items.length, batch.rejected.length);
}

function failed(job, error) {
  if (error instanceof SignedOut) {
    job.row.show("waiting", 0, "Waits for you to sign in");
    waiting.unshift(job);
    showSignIn("Your session has ended. Please sign in again.");
  } else {
    const known = error instanceof Refused;
    const text = known ? error.message : "Something went wrong here.";
    job.row.showRefused(text, !known || error.isWorthTrying);
  }
}

function clearFinished() {
  const kept = rows.filter((row) => !row.isFinal);
  rows.filter((row) => row.isFinal).forEach((row) => row.element.remove());
  rows.splice(0, rows.length, ...kept);
  summarise();
  part("title").focus();
}

function summarise() {
  const ended = rows.filter((row) => row.isFinal).length;
  const bad = rows.filter((row) => ["failed", "refused"].includes(row.state)).length;
  part("clear").hidden = ended === 0;
  part("summary").textContent = rows.length === 0
    ? "Nothing uploaded yet."
    : `${ended} of ${rows.length} finished${bad ? `, ${bad} not successful` : ""}`;
}

start();
