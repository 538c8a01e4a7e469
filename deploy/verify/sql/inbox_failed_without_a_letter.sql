-- Jobs that a consumer gave up, and of which no letter is kept. Of a letter that was purged,
-- forgotten or erased with its document it is known whose it was; only of those that went before
-- that was kept, or had no document, as many are excused.
-- $1 limit  $2 live_s
WITH missing AS (
        SELECT f.consumer, f.job_id, f.run
          FROM (SELECT consumer, job_id, run, at FROM extractor.inbox WHERE outcome = 'failed'
                 UNION ALL
                SELECT consumer, job_id, run, at FROM ingest.inbox WHERE outcome = 'failed'
                 UNION ALL
                SELECT consumer, job_id, run, at FROM monitor.inbox WHERE outcome = 'failed'
                 UNION ALL
                SELECT consumer, job_id, run, at FROM review.inbox WHERE outcome = 'failed'
                 UNION ALL
                SELECT consumer, job_id, run, at FROM storage.inbox WHERE outcome = 'failed') AS f
         WHERE f.at > now() - interval '25 days'
           AND f.at <= now() - make_interval(secs => $2)
           AND NOT EXISTS (
                SELECT
                  FROM monitor.dead_letters l
                 WHERE l.job_id = f.job_id
                   AND l.origin_queue = f.consumer
                   AND l.run >= f.run)
           AND NOT EXISTS (
                SELECT
                  FROM monitor.letters_purged p
                 WHERE p.job_id = f.job_id
                   AND p.origin_queue = f.consumer
                   AND p.run >= f.run)),
nameless AS (
        SELECT letter_id FROM monitor.letters_purged WHERE job_id IS NULL
         UNION
        SELECT substr(resource, length('dead-letter/') + 1)::uuid
          FROM monitor.audit_log
         WHERE action = 'letter_erased'
           AND at > now() - interval '26 days'
         UNION
        SELECT i.letter_id
          FROM monitor.operation_items i
          JOIN monitor.operations o USING (operation_id)
         WHERE o.kind = 'purge'
           AND i.outcome = 'applied'
           AND o.requested_at > now() - interval '26 days'),
excused AS (
        SELECT count(*) AS letters
          FROM nameless
         WHERE NOT EXISTS (
                SELECT
                  FROM monitor.letters_purged p
                 WHERE p.letter_id = nameless.letter_id
                   AND p.job_id IS NOT NULL))
SELECT job_id::text AS subject, consumer || ', run ' || run || ': no letter' AS detail,
       run::text AS mark
  FROM missing
 WHERE (SELECT count(*) FROM missing) > (SELECT letters FROM excused)
 ORDER BY subject
 LIMIT $1;
