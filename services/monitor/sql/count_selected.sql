-- What a selection would find, by where it failed, of what and as which type. Documents that
-- have ended since are told of: their letters may have nothing left to do.
-- $1 selector  $2 arrived_before  $3 states  $4 queues  $5 ids  $6 days
SELECT l.origin_queue AS queue, l.reason, l.type, count(*) AS letters,
       count(*) FILTER (
           WHERE l.job_id IS NULL
              OR l.origin_queue <> ALL ($4::text[])
              OR NOT may_be_replayed(l.job_id, l.arrived_at, $6)) AS unreplayable,
       count(*) FILTER (WHERE d.status IN ('completed', 'duplicate', 'cancelled', 'deleted'))
           AS already_ended
  FROM selected_letters($1::jsonb, $2::timestamptz) AS l
  LEFT JOIN documents_seen AS d ON d.document_id = l.document_id
 WHERE l.state = ANY ($3::text[])
   AND ($5::uuid[] IS NULL OR l.letter_id = ANY ($5))
 GROUP BY l.origin_queue, l.reason, l.type
 ORDER BY letters DESC, queue, l.reason;
