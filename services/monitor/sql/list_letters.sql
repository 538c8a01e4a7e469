-- A page of letters, latest arrival first. A null asks for any; words have to stand in what went
-- wrong, an id is that of a letter, a job or a document.
-- $1 queue  $2 reason  $3 state  $4 document_id  $5 fingerprint  $6 arrived_at  $7 letter_id
-- $8 limit  $9 category  $10 type  $11 owner_id  $12 arrived_after  $13 arrived_before
-- $14 words  $15 id
SELECT letter_id, dead_queue, origin_queue, job_id, type, document_id, owner_id, run, reason,
       category, exception, message, fingerprint, attempts, first_failed_at, last_failed_at,
       headers, content_type, priority, body_bytes, failed_replay_id, state, replay_id, outcome,
       arrived_at, settled_at, version, superseded_by
  FROM dead_letters
 WHERE ($1::text IS NULL OR origin_queue = $1 OR dead_queue = $1)
   AND ($2::text IS NULL OR reason = $2)
   AND ($3::text IS NULL OR state = $3)
   AND ($4::uuid IS NULL OR document_id = $4)
   AND ($5::text IS NULL OR fingerprint = $5)
   AND ($6::timestamptz IS NULL OR (arrived_at, letter_id) < ($6, $7::uuid))
   AND ($9::text IS NULL OR category = $9)
   AND ($10::text IS NULL OR type = $10)
   AND ($11::text IS NULL OR owner_id = $11)
   AND ($12::timestamptz IS NULL OR arrived_at >= $12)
   AND ($13::timestamptz IS NULL OR arrived_at < $13)
   AND ($14::text IS NULL
        OR to_tsvector('simple', exception || ' ' || message)
           @@ websearch_to_tsquery('simple', $14))
   AND ($15::uuid IS NULL OR letter_id = $15 OR job_id = $15 OR document_id = $15)
 ORDER BY arrived_at DESC, letter_id DESC
 LIMIT $8;
