-- Items whose claim has ended, and those put off until now, are free again. Whatever somebody
-- else is busy with is left to them.
-- $1 limit
UPDATE review_items
   SET status = 'pending',
       claimed_by = NULL,
       claimed_until = NULL,
       -- What was put off for a reading that did not come may be given back once more.
       reextract_asked_at = CASE WHEN postponed_until IS NULL THEN reextract_asked_at END,
       reextract_asked_by = CASE WHEN postponed_until IS NULL THEN reextract_asked_by END,
       postponed_until = NULL
 WHERE document_id IN (
        SELECT document_id
          FROM review_items
         WHERE (status = 'in_review' AND claimed_until < now())
            OR (status = 'pending' AND postponed_until <= now())
         LIMIT $1
           FOR UPDATE SKIP LOCKED)
RETURNING document_id;
