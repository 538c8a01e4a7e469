-- Letters that were settled long ago, some at once, and their replays with them. That there was a
-- letter is remembered for as long as what was told of its document: else that would seem to have
-- failed without one.
-- $1 days  $2 limit
WITH old AS MATERIALIZED (
        SELECT letter_id
          FROM dead_letters
         WHERE state IN ('resolved', 'refailed', 'archived', 'superseded')
           AND settled_at < now() - make_interval(days => $1)
           AND (state <> 'superseded' OR outcome IS NOT NULL)
         ORDER BY settled_at
         LIMIT $2),
     held AS MATERIALIZED (
        -- In the order of whoever settles or erases them.
        SELECT letter_id
          FROM dead_letters
         WHERE letter_id IN (SELECT letter_id FROM old)
         ORDER BY letter_id
           FOR UPDATE SKIP LOCKED),
     gone AS (
        DELETE FROM dead_letters AS l
         USING held
         WHERE l.letter_id = held.letter_id
     RETURNING l.letter_id, l.document_id, l.origin_queue, l.job_id, l.run),
     remembered AS (
        INSERT INTO letters_purged (document_id, letter_id, origin_queue, job_id, run)
        SELECT document_id, letter_id, origin_queue, job_id, run
          FROM gone
         WHERE document_id IS NOT NULL
            ON CONFLICT DO NOTHING)
SELECT letter_id
  FROM gone;
