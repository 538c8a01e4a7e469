-- How the window stands, who waits longest, and what was released while it waited. The count
-- of urgent releases begins anew with each document that becomes the oldest.
-- $1 window  $2 place_s
SELECT $1::integer - (SELECT count(*)
                        FROM places
                       WHERE taken_at > now() - make_interval(secs => $2::float8)) AS free,
       oldest.document_id AS oldest,
       coalesce(pg_sequence_last_value('urgent_turns'::regclass), 0)
           - greatest(a.urgent_turn, oldest.urgent_turn) AS urgent,
       a.others
  FROM ageing a,
       (SELECT document_id, urgent_turn
          FROM waiting
         WHERE ready
         ORDER BY accepted_at, document_id
         LIMIT 1) AS oldest;
