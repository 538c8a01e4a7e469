-- Order again what was read and stored, and never came to review: it ended long ago, and others
-- of the same or a lower priority that ended later have their review item. Its reading and its
-- result are kept, so nothing is read or stored twice; the order only comes by where the lost one
-- was sent. Of the last two days, because after that a person has been told; three times at most.
-- $1 stale_s  $2 sweeps_max  $3 documents
WITH opened AS (
    SELECT priority, max(completed_at) AS ended_at
      FROM documents
     WHERE completed_at > now() - interval '2 days'
       AND status IN ('completed', 'duplicate')
       AND review_status IS NOT NULL
     GROUP BY priority),
missed AS (
    SELECT d.document_id
      FROM documents d
     WHERE d.completed_at > now() - interval '2 days'
       AND d.completed_at < now() - make_interval(secs => $1::float8)
       AND d.status IN ('completed', 'duplicate')
       AND d.review_status IS NULL
       AND d.updated_at < now() - make_interval(secs => $1::float8)
       AND d.sweeps < $2::integer
       AND EXISTS (
            SELECT
              FROM opened o
             WHERE o.priority <= d.priority
               AND o.ended_at > d.completed_at)
     ORDER BY d.completed_at
     LIMIT $3::integer
       FOR UPDATE OF d SKIP LOCKED)
UPDATE documents d
   SET sweeps = d.sweeps + 1,
       run = d.run + 1,
       updated_at = now(),
       revision = d.revision + 1
  FROM missed m
 WHERE d.document_id = m.document_id
RETURNING d.document_id, d.owner_id, d.created_at AS accepted_at, d.priority, d.content_key,
          d.sha256, d.size_bytes, d.media_type, d.filename, d.run, NULL AS traceparent,
          -- Read once already, also where that was by force.
          false AS forced, d.replaces_version, d.due_at, d.wanted_engine,
          'review' AS stage, false AS lost, d.attempts;
