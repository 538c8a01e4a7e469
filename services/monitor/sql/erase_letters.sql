-- Letters of deleted documents, whatever their state, and their replays with them. In the order
-- in which whoever settles them takes them. Whose they were is remembered, and nothing of what
-- they said.
-- $1 document_ids  $2 spared_types
WITH held AS MATERIALIZED (
        SELECT letter_id
          FROM dead_letters
         WHERE document_id = ANY ($1::uuid[])
           AND type <> ALL ($2::text[])
         ORDER BY letter_id
           FOR UPDATE),
     gone AS (
        DELETE FROM dead_letters AS l
         USING held
         WHERE l.letter_id = held.letter_id
     RETURNING l.letter_id, l.document_id, l.origin_queue, l.job_id, l.run),
     remembered AS (
        INSERT INTO letters_purged (document_id, letter_id, origin_queue, job_id, run)
        SELECT document_id, letter_id, origin_queue, job_id, run
          FROM gone
            ON CONFLICT DO NOTHING)
SELECT letter_id
  FROM gone;
