// What a page sends as it goes may arrive after the page that comes next has asked. So it leaves
// a note at its place in the history: which version its words rested on, and not one word.

import { show } from "./api.js";
import { toast, warn } from "./notices.js";

const LOOK_MS = 200;
const LOOKS = 25;

export function leaveNote(id, version) {
  history.replaceState({ late: { id, version } }, "");
}

// The item with what was still on its way to it, or as it is when that does not come.
export async function withLateWords(answer) {
  const { id, version } = history.state?.late ?? {};
  if (id !== answer.data.document_id) return answer;
  history.replaceState(null, "");
  let seen = answer;
  for (let look = 0; seen.version === version; look += 1) {
    if (look === LOOKS) {
      toast("What you typed last did not arrive. Please look whether it is here.");
      return seen;
    }
    warn("What you typed last is being kept…");
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    seen = await show(id);
  }
  return seen;
}
