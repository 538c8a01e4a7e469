-- Items whose claim has ended, and those put off until now, are free again. Whatever somebody
-- else is busy with is left to them. Who has lost one stands in the audit log.
-- $1 limit
WITH asleep AS (
    SELECT document_id, claimed_by
      FROM review_items
     WHERE (status = 'in_review' AND claimed_until < now())
        OR (status = 'pending' AND postponed_until <= now())
     LIMIT $1
       FOR UPDATE SKIP LOCKED)
UPDATE review_items item
   SET status = 'pending',
       claimed_by = NULL,
       claimed_until = NULL,
       -- What was put off for a reading that did not come may be given back once more.
       reextract_asked_at = CASE WHEN postponed_until IS NULL THEN reextract_asked_at END,
       reextract_asked_by = CASE WHEN postponed_until IS NULL THEN reextract_asked_by END,
       postponed_until = NULL
  FROM asleep
 WHERE item.document_id = asleep.document_id
RETURNING item.*, false AS claim_holds, asleep.claimed_by AS was_held_by;
