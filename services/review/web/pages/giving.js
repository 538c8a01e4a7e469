// To whom a document may be given: who reviews and is there, those with the least in hand first.

import { reviewers } from "./api.js";
import { assignment } from "./dialogs.js";
import { plain } from "./make.js";
import { count } from "./words.js";

// The body of an assignment, or null. `level`: of those below it nobody can be given it but
// `giver`, who may take any. `butNot`: who has it in hand already.
export async function askWhom({ level, giver, butNot = null }) {
  const { data } = await reviewers();
  const known = data.reviewers.filter((one) => one.active && one.name !== butNot
    && (one.level >= level || one.name === giver));
  known.sort((one, other) => one.load - other.load);
  const said = await assignment(known.map((one) => [one.name, wordsOf(one)]), level);
  return said && { reviewer: said.reviewer ?? null };
}

export function givenTo({ reviewer }) {
  return reviewer ? `given to ${plain(reviewer)}` : "given back to whoever asks next";
}

function wordsOf({ name, load }) {
  return `${plain(name)}, ${count(load, "document", "documents")}`;
}
