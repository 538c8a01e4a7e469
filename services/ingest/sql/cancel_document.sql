-- End a document that nobody wants any more, unless it has ended: the guard and the move are
-- one statement, so a cancel and a result never both win.
-- $1 document_id  $2 owner_id  $3 fact_id
UPDATE documents
   SET status = 'cancelled',
       rank = 90,
       stage = 'done',
       waiting_for = NULL,
       next_attempt_at = NULL,
       error_message = NULL,
       told_rank = 90,
       told_fact_id = $3::uuid,
       completed_at = now(),
       updated_at = now(),
       revision = revision + 1
 WHERE document_id = $1::uuid
   AND ($2::text IS NULL OR owner_id = $2::text)
   AND rank < 90
RETURNING document_id, owner_id, created_at, priority, run, content_key, true AS ended,
          extract(epoch FROM now() - created_at)::double precision AS lasted_s;
