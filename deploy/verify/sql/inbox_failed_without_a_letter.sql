-- Jobs that a consumer gave up, and of which no letter is kept. A letter that was erased with its
-- document, or forgotten, does not say whose it was: as many are excused.
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
                   AND l.run >= f.run)),
excused AS (
        SELECT (SELECT count(*) FROM monitor.audit_log WHERE action = 'letter_erased')
               + (SELECT count(*) FROM monitor.letters_purged) AS letters)
SELECT job_id::text AS subject, consumer || ', run ' || run || ': no letter' AS detail,
       run::text AS mark
  FROM missing
 WHERE (SELECT count(*) FROM missing) > (SELECT letters FROM excused)
 ORDER BY subject
 LIMIT $1;
