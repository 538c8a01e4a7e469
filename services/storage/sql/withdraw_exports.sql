-- Documents are being erased, or have just been: the exports that may hold one of them are taken
-- back, and those that are being made begin anew. Rather one too many than a copy left behind:
-- a page may have been read at any moment until the export ended, and what was cancelled or has
-- failed has parts until they are cleared. The keys of their files begin with what comes back.
-- $1 document_ids
WITH gone AS (
    SELECT owner_id, min(accepted_at) AS accepted_at
      FROM (SELECT owner_id, accepted_at
              FROM stored_results
             WHERE document_id = ANY ($1::uuid[])
             UNION ALL
            SELECT owner_id, accepted_at
              FROM erasures
             WHERE document_id = ANY ($1::uuid[])) AS known
     GROUP BY owner_id
)
UPDATE exports e
   SET status = CASE e.status WHEN 'completed' THEN 'expired'
                              WHEN 'running' THEN 'waiting'
                              ELSE e.status END,
       expires_at = CASE WHEN e.status = 'completed' THEN now() ELSE e.expires_at END,
       -- Another run takes it at once; the one of before finds that it is not wanted.
       claimed_until = CASE WHEN e.status = 'running' THEN NULL ELSE e.claimed_until END,
       run = e.run + 1
 WHERE e.cleared_at IS NULL
   AND e.started_at IS NOT NULL
   AND EXISTS (
        SELECT
          FROM gone
         WHERE (e.of_owner IS NULL OR e.of_owner = gone.owner_id)
           AND (e.ended_at IS NULL OR e.ended_at >= gone.accepted_at))
RETURNING e.export_id;
