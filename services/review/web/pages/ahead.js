// What is likely to be looked at next, fetched while the person still reads: the next document
// and the picture of its first page. The picture itself is kept, not only in the browser's
// cache, so that it is there at once.

import { peek } from "./api.js";

const KEPT_MAX = 4;
const pictures = new Map();

export function pictureOf(address, isLater = false) {
  let picture = pictures.get(address);
  if (picture) pictures.delete(address);
  else {
    picture = new Image();
    picture.decoding = "async";
    picture.loading = isLater ? "lazy" : "eager";
    picture.draggable = false;
    picture.alt = "";
    picture.src = address;
  }
  return picture;
}

export function sized(address, width) {
  return `${address}?width=${width}`;
}

// A failure changes nothing: it is fetched when it is wanted.
export async function lookAhead(after, width) {
  try {
    const answer = await peek(after);
    const first = answer?.data.pages?.[0];
    if (!first?.image) return null;
    const address = sized(first.image, width);
    if (!pictures.has(address)) {
      const picture = pictureOf(address);
      picture.addEventListener("error", () => pictures.delete(address));
      pictures.set(address, picture);
    }
    while (pictures.size > KEPT_MAX) pictures.delete(pictures.keys().next().value);
    return answer.data.document_id;
  } catch {
    return null;
  }
}
