// One file as the person sees it. Text is set as text, never as markup.

const template = document.getElementById("row");
const reviewUrl = document.querySelector("meta[name=review-url]").content;

const NAMES = {
  waiting: ["Waiting", ""],
  uploading: ["Uploading", "busy"],
  queued: ["Queued", "busy"],
  processing: ["Processing", "busy"],
  completed: ["Completed", "good"],
  duplicate: ["Duplicate", "good"],
  failed: ["Failed", "bad"],
  refused: ["Refused", "bad"],
  unpacked: ["Unpacked", "good"],
  cancelled: ["Cancelled", ""],
  deleted: ["Deleted", ""],
};

const STAGES = { extract: "Reading the document", store: "Keeping the result" };

export class Row {
  state = "waiting";
  isFinal = false;

  // A member of an archive has no size of its own, and is sent again with the others only.
  constructor(file, onRetry = () => {}) {
    const fragment = template.content.cloneNode(true);
    this.element = fragment.querySelector("li");
    const name = plain(file.name);
    this.part(".name").textContent = name;
    this.part("progress").setAttribute("aria-label", `Progress of ${name}`);
    for (const link of this.element.querySelectorAll("a")) {
      link.setAttribute("aria-label", `${link.textContent} of ${name}`);
    }
    this.part(".retry").setAttribute("aria-label", `Try ${name} again`);
    this.part(".retry").addEventListener("click", onRetry);
    this.show("waiting", 0, file.size === undefined ? "" : size(file.size));
  }

  part(selector) {
    return this.element.querySelector(selector);
  }

  show(state, percent, detail) {
    const [name, kind] = NAMES[state] ?? [state, ""];
    this.state = state;
    this.part(".badge").textContent = name;
    this.part(".badge").className = `badge ${kind}`;
    this.part("progress").value = percent;
    this.part("progress").hidden = this.isFinal;
    this.part(".detail").textContent = detail ?? "";
    this.part(".retry").hidden = true;
  }

  showUpload(fraction) {
    // Sending is the first third of the way; the server's own percentage is the rest.
    const sent = Math.round(100 * fraction);
    this.show("uploading", Math.round(33 * fraction), `${sent} % sent`);
  }

  showStatus(status, isFinal) {
    this.isFinal = isFinal;
    this.show(status.status, 33 + 0.67 * (status.progress ?? 0), told(status));
    if (isFinal && (status.status === "completed" || status.status === "duplicate")) {
      this.link(".result", status.links.result);
      if (reviewUrl && status.review) {
        this.link(".review", `${reviewUrl}/#item/${status.document_id}`);
      }
    }
  }

  showUnpacked(documents, refused) {
    this.isFinal = true;
    const others = refused ? `, ${refused} refused` : "";
    this.show("unpacked", 100, `${documents} document${documents === 1 ? "" : "s"}${others}`);
  }

  showRefused(detail, isWorthTrying) {
    this.isFinal = true;
    this.show("refused", 0, detail);
    this.part(".retry").hidden = !isWorthTrying;
  }

  link(selector, address) {
    this.part(selector).href = address;
    this.part(selector).hidden = false;
  }
}

// What turns the writing round can make a program look like a picture.
function plain(name) {
  return name.replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "");
}

export function size(bytes) {
  const units = ["B", "KB", "MB", "GB"];
  let at = 0;
  let number = bytes;
  while (number >= 1000 && at < units.length - 1) {
    number /= 1000;
    at += 1;
  }
  return `${number < 10 && at ? number.toFixed(1) : Math.round(number)} ${units[at]}`;
}

function told(status) {
  if (status.error_message) return status.error_message;
  if (status.waiting_for) return `Waits: ${status.waiting_for}`;
  if (status.status === "processing") return STAGES[status.stage] ?? status.stage;
  if (status.confidence != null && status.links?.result) {
    const sure = Math.round(100 * status.confidence);
    const review = status.review ? `, review ${status.review.replace("_", " ")}` : "";
    return `${sure} % sure${review}`;
  }
  return "";
}
