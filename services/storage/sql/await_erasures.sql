-- In the commit that erases them: to be reported when their days do not show them any more.
-- $1 document_ids  $2 owner_ids  $3 accepted_at  $4 priorities  $5 cause_ids  $6 runs
-- $7 traceparents
INSERT INTO erasures (document_id, owner_id, accepted_at, day, priority, cause_id, run,
                      traceparent, change_id)
SELECT given.document_id, given.owner_id, given.accepted_at, of.day, given.priority,
       given.cause_id, given.run, given.traceparent,
       coalesce((SELECT max(c.id) FROM day_changes c WHERE c.day = of.day), 0)
  FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::int[], $5::uuid[], $6::int[],
              $7::text[])
    AS given (document_id, owner_id, accepted_at, priority, cause_id, run, traceparent)
 CROSS JOIN LATERAL (SELECT (given.accepted_at AT TIME ZONE 'UTC')::date AS day) AS of
    ON CONFLICT (document_id) DO NOTHING;
