-- What was last said about a queue, by the order in which it was said and not of its arrival.
-- $1 queues  $2 reasons  $3 pauseds  $4 told_bys  $5 details  $6 ends_ats
INSERT INTO queue_pauses (queue, reason, paused, told_by, detail, ends_at)
SELECT queue, reason, paused, told_by, detail, ends_at
  FROM unnest($1::text[], $2::text[], $3::boolean[], $4::uuid[], $5::text[], $6::timestamptz[])
       AS note (queue, reason, paused, told_by, detail, ends_at)
 ORDER BY queue, reason
    ON CONFLICT (queue, reason) DO UPDATE
   SET paused = excluded.paused,
       told_by = excluded.told_by,
       detail = excluded.detail,
       ends_at = excluded.ends_at,
       since = CASE WHEN queue_pauses.paused = excluded.paused
                    THEN queue_pauses.since ELSE now() END
 WHERE queue_pauses.told_by < excluded.told_by;
