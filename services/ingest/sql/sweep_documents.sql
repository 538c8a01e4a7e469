-- Begin anew what seems lost: released, moved by no fact for long, and overtaken, because one
-- of the same or a lower priority that was released later has ended; after hours of silence
-- anything that was released later overtakes, and after days nothing need. So a slow pipeline
-- is never taken for a broken one; domain/sweeping.py says why. At most one in a hundred of
-- what came through since the last sweep; the fourth time nothing is begun any more, if others
-- come through. Rows somebody works on are left alone.
-- $1 queued_stale_s  $2 processing_stale_s  $3 sweep_every_s  $4 sweeps_max  $5 lost_after_s
-- $6 order_s
WITH through AS (
    SELECT p.priority,
           (SELECT max(d.released_at)
              FROM documents d
             WHERE d.priority = p.priority
               AND d.status IN ('completed', 'duplicate', 'failed')) AS released_at
      FROM unnest(ARRAY[1, 2, 3, 4, 5]::smallint[]) AS p(priority)),
budget AS (
    SELECT greatest(count(*) / 100, 1) AS documents
      FROM documents
     WHERE priority = ANY (ARRAY[1, 2, 3, 4, 5]::smallint[])
       AND released_at > now() - make_interval(secs => $3::float8)
       AND status IN ('completed', 'duplicate', 'failed')),
stuck AS (
    SELECT d.document_id, d.stage,
           d.sweeps >= $4::integer AND overtaken.by_anybody AS lost
      FROM documents d
     CROSS JOIN LATERAL (
            SELECT coalesce(bool_or(t.priority <= d.priority), false) AS by_equals,
                   count(*) > 0 AS by_anybody
              FROM through t
             WHERE t.released_at > coalesce(d.released_at, d.created_at)) AS overtaken
     CROSS JOIN LATERAL (
            SELECT extract(epoch FROM now() - greatest(d.updated_at, d.next_attempt_at))
                   AS silent_s) AS heard
     WHERE d.status IN ('queued', 'processing')
       AND d.created_at < now() - make_interval(secs => least($1::float8, $2::float8))
       AND heard.silent_s > CASE d.status WHEN 'queued' THEN $1::float8 ELSE $2::float8 END
       AND NOT EXISTS (SELECT FROM waiting w WHERE w.document_id = d.document_id)
       AND (overtaken.by_equals
            OR overtaken.by_anybody AND heard.silent_s > $5::float8
            OR heard.silent_s > $6::float8)
     ORDER BY d.created_at
     LIMIT (SELECT documents FROM budget)
       FOR UPDATE OF d SKIP LOCKED)
UPDATE documents d
   SET sweeps = d.sweeps + 1,
       run = CASE WHEN s.lost THEN d.run ELSE d.run + 1 END,
       status = CASE WHEN s.lost THEN d.status ELSE 'queued' END,
       rank = CASE WHEN s.lost THEN d.rank ELSE 10 END,
       told_rank = CASE WHEN s.lost THEN d.told_rank ELSE 10 END,
       stage = CASE WHEN s.lost THEN d.stage ELSE 'queued' END,
       waiting_for = CASE WHEN s.lost THEN d.waiting_for END,
       next_attempt_at = CASE WHEN s.lost THEN d.next_attempt_at END,
       attempts = CASE WHEN s.lost THEN d.attempts ELSE 0 END,
       progress = CASE WHEN s.lost THEN d.progress ELSE 0 END,
       released_at = now(),
       updated_at = now(),
       revision = d.revision + 1
  FROM stuck s
 WHERE d.document_id = s.document_id
RETURNING d.document_id, d.owner_id, d.created_at AS accepted_at, d.priority, d.content_key,
          d.sha256, d.size_bytes, d.media_type, d.filename, d.run, NULL AS traceparent,
          d.forced, d.replaces_version, d.due_at, d.wanted_engine,
          s.stage, s.lost, d.attempts;
