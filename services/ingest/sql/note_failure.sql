-- One more failure in a row. An endpoint that is gone, or has long done nothing but fail, is
-- told nothing more until its owner turns it on again.
-- $1 webhook_id  $2 gone  $3 failing_s  $4 failures_min
WITH judged AS (
    SELECT webhook_id, enabled AS was_enabled,
           CASE WHEN $2::boolean THEN 'gone'
                WHEN failures + 1 >= $4::integer
                     AND failing_since < now() - make_interval(secs => $3::double precision)
                THEN 'failing'
           END AS reason
      FROM webhooks
     WHERE webhook_id = $1::uuid
       AND deleted_at IS NULL
       FOR NO KEY UPDATE)
UPDATE webhooks w
   SET failures = w.failures + 1,
       failing_since = coalesce(w.failing_since, now()),
       enabled = w.enabled AND j.reason IS NULL,
       disabled_reason = CASE WHEN j.was_enabled THEN j.reason ELSE w.disabled_reason END,
       updated_at = CASE WHEN j.was_enabled AND j.reason IS NOT NULL THEN now()
                         ELSE w.updated_at END,
       revision = w.revision + (j.was_enabled AND j.reason IS NOT NULL)::integer
  FROM judged j
 WHERE w.webhook_id = j.webhook_id
RETURNING CASE WHEN j.was_enabled THEN j.reason END;
