-- Documents move forward only: to a later run, or to a higher rank within one. So a fact that
-- comes late or twice moves nothing, and the first end of a run is its end. What is deleted
-- stays so, whichever run is told of later.
-- $1 document_ids  $2 owner_ids  $3 accepted_ats  $4 statuses  $5 runs  $6 ranks
-- $7 priorities  $8 ended_ats
INSERT INTO documents_seen (
       document_id, owner_id, accepted_at, status, run, rank, priority, ended_at)
SELECT document_id, owner_id, accepted_at, status, run, rank, priority, ended_at
  FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::integer[],
              $6::smallint[], $7::smallint[], $8::timestamptz[])
       AS seen (document_id, owner_id, accepted_at, status, run, rank, priority, ended_at)
 ORDER BY document_id
    ON CONFLICT (document_id) DO UPDATE
   SET status = excluded.status,
       run = excluded.run,
       rank = excluded.rank,
       ended_at = excluded.ended_at,
       moved_at = now()
 WHERE (documents_seen.status = 'deleted', documents_seen.run, documents_seen.rank)
       < (excluded.status = 'deleted', excluded.run, excluded.rank)
RETURNING document_id;
