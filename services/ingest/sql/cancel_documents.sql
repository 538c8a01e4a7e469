-- End documents that nobody wants any more, unless they have ended: the guard and the move are
-- one statement, so a cancel and a result never both win. The rows are locked in key order, as
-- those of facts are, so that neither waits for the other crosswise.
-- $1 document_ids  $2 owner_id  $3 fact_ids
WITH held AS (
    SELECT d.document_id, asked.fact_id
      FROM unnest($1::uuid[], $3::uuid[]) AS asked(document_id, fact_id)
      JOIN documents d USING (document_id)
     WHERE ($2::text IS NULL OR d.owner_id = $2::text)
       AND d.rank < 90
       -- Every stage would forget it, and what is held must not be forgotten.
       AND d.hold_since IS NULL
       -- With a result it is being read anew, and its stages would erase what there is.
       AND d.result_version = 0
     ORDER BY d.document_id
       FOR UPDATE OF d)
UPDATE documents d
   SET status = 'cancelled',
       rank = 90,
       stage = 'done',
       waiting_for = NULL,
       next_attempt_at = NULL,
       error_message = NULL,
       told_rank = 90,
       told_fact_id = h.fact_id,
       -- We may have waited for the row while a start was written that began after us.
       completed_at = greatest(now(), d.started_at),
       updated_at = now(),
       revision = d.revision + 1
  FROM held h
 WHERE d.document_id = h.document_id
RETURNING d.document_id, d.owner_id, d.created_at, d.priority, d.run, d.content_key,
          true AS ended,
          extract(epoch FROM now() - d.created_at)::double precision AS lasted_s;
