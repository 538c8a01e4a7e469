// What each reason of a dead letter means, and whether sending it again can help: the runbook's
// table, for whoever has no time to look there. A reason that is not here says its code.

const NEVER = "Sending it again never helps";

const REASONS = {
  // Of the bus.
  undecodable: ["It could not be read as a message", `${NEVER}: find the sender.`],
  unsupported_content_type: ["It was not JSON", `${NEVER}: find the sender.`],
  unknown_type: ["Nobody knows this kind of message there", "Replay after a deploy that knows it."],
  unknown_version: ["A newer version than anybody knew", "Replay after a deploy that knows it."],
  invalid_body: ["Its content breaks the model of its type", "Mend it and send it on, or have the sender send a new one."],
  invalid_reply_to: ["The answer was to go to a queue that is no sender's own", "A replay helps: it is accepted, without an answer."],
  poison: ["The process died three times while it had this message", "Replay when the crash is understood; it runs alone."],
  bug: ["An error nobody planned for", "Replay after the fix. This is the usual case."],
  attempts_exhausted: ["All attempts failed for reasons that could have passed", "Replay when the cause is gone."],
  expired: ["It waited longer than its queue is patient", "Replay when what it waited for is back."],
  unroutable: ["It arrived nowhere: no queue took it", "Replay once the queue exists."],
  // Of the business.
  source_missing: ["The file is not in the store", "Replay after it was brought back."],
  not_exportable: ["A stored result cannot be read as one", "Order the export again after the file was restored."],
  source_not_allowed: ["It names a source that is not listed", "Replay after the sources or the rights are mended."],
  source_corrupt: ["The file is not the one that was stored", "Replay after it was brought back."],
  too_large: ["Beyond the limit of bytes, pages or pixels", "Replay after the limit was raised, if that is wise."],
  empty: ["Nothing is in it", `${NEVER}.`],
  wrong_password: ["Its password does not open it", `${NEVER}: the client knows another.`],
  bad_split: ["It cannot be split that way", "Not needed: a person splits it otherwise."],
  bad_archive: ["The ZIP is broken or holds too much", `${NEVER}: it has to be packed anew.`],
  nested_archive: ["An archive within an archive", `${NEVER}: hand it in by itself.`],
  too_many_items: ["More documents than a batch may have", `${NEVER}: hand them in by several requests.`],
  unsupported_format: ["An image of a kind that no parser opens", "Replay after a deploy that opens it."],
  unsupported_type: ["None of the accepted formats, whatever its name says", `${NEVER}.`],
  idempotency_mismatch: ["Its key was used for another document before", "Under a key of its own, as a new message."],
  idempotency_conflict: ["The same key came with another payload", `${NEVER}: the client is wrong.`],
  invalid_key: ["The address of its content is none", "After the sender is fixed, as a new message."],
  unreadable: ["The file is broken beyond repair", `${NEVER}: ask for a new file.`],
  not_an_invoice: ["XML, but no e-invoice", `${NEVER}: ask for the right file.`],
  no_engine: ["No engine that is switched on reads such a file", "Replay after one is switched on."],
  no_text_layer: ["Nothing on its pages looks like text", `${NEVER}: ask for a new file.`],
  parser_crashed: ["The parser died on it", "Replay after the parser was fixed or replaced."],
  parser_timeout: ["The parser ran out of time", "Replay after the limit was raised, if that is wise."],
  invalid_extraction: ["What was read does not fit its schema", "Replay after the fix: a defect wrote it."],
  encrypted: ["The PDF needs a password", `${NEVER}: it has to be handed in with its password.`],
  lost: ["Its stage was ordered three times in vain", "Replay after the logs were read."],
};

export function meaningOf(reason) {
  const [what, then] = REASONS[reason]
    ?? [reason ? `Reason ${reason.replaceAll("_", " ")}` : "Without a reason", "Look at a letter, then decide."];
  return { what, then };
}
