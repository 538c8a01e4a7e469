// Who is signed in. The cookie is the browser's business; all we hold is the word that proves
// a request comes from this page.

let word = null;

export class SignedOut extends Error {}

export async function resume() {
  const answer = await fetch("/v1/session");
  if (answer.status === 401) throw new SignedOut();
  return begin(answer);
}

export async function signIn(key) {
  const answer = await fetch("/v1/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ key }),
  });
  if (answer.status === 401 || answer.status === 422) throw new SignedOut();
  return begin(answer);
}

// Where the identity provider signs people in; `place` is where they want to go on.
export async function leave(place) {
  const answer = await fetch("/v1/sign-in", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ place }),
  });
  if (!answer.ok) throw new Error(await reason(answer));
  return (await answer.json()).address;
}

export async function signOut() {
  await fetch("/v1/session", { method: "DELETE", headers: proof() });
  word = null;
}

export function proof() {
  return word === null ? {} : { "X-CSRF": word };
}

async function begin(answer) {
  if (!answer.ok) throw new Error(await reason(answer));
  const session = await answer.json();
  word = session.csrf;
  return session;
}

// A problem's own sentence, else its title.
export async function reason(answer) {
  try {
    const problem = await answer.json();
    const first = problem.errors?.[0];
    return first ? `${first.detail}` : problem.detail || problem.title;
  } catch {
    return `The server answered ${answer.status}.`;
  }
}
