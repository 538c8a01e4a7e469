-- Let new documents in at once, or let them wait: urgent ones always in, the others while the
-- window has room and nobody waits for it. A place that was taken long ago no longer counts,
-- or a window full of lost documents would stop everything behind them.
-- $1 document_ids  $2 owner_ids  $3 priorities  $4 accepted_ats  $5 traceparents
-- $6 window  $7 place_s  $8 ready
WITH given AS (
    SELECT *
      FROM unnest($1::uuid[], $2::text[], $3::smallint[], $4::timestamptz[], $5::text[],
                  $8::boolean[])
           AS g(document_id, owner_id, priority, accepted_at, traceparent, ready)),
room AS (
    SELECT CASE
               WHEN EXISTS (SELECT FROM waiting WHERE ready
                            ORDER BY accepted_at, document_id LIMIT 1) THEN 0
               ELSE $6::integer - (SELECT count(*)
                                     FROM places
                                    WHERE taken_at > now() - make_interval(secs => $7::float8))
           END AS places),
ranked AS (
    SELECT document_id, priority,
           row_number() OVER (ORDER BY priority DESC, accepted_at, document_id) AS nth
      FROM given
     WHERE ready),
let_in AS (
    SELECT r.document_id,
           CASE WHEN r.priority >= 5 THEN nextval('urgent_turns') END AS turn
      FROM ranked r, room
     WHERE r.priority >= 5 OR r.nth <= room.places),
placed AS (
    INSERT INTO places (document_id)
    SELECT document_id FROM let_in
    RETURNING document_id),
held AS (
    INSERT INTO waiting (document_id, owner_id, priority, accepted_at, traceparent, ready,
                         urgent_turn)
    SELECT document_id, owner_id, priority, accepted_at, traceparent, ready,
           coalesce(pg_sequence_last_value('urgent_turns'::regclass), 0)
      FROM given
     WHERE document_id NOT IN (SELECT document_id FROM let_in))
SELECT document_id FROM placed;
