-- Documents move forward only: to a later run, or to a higher rank within one. So a fact that
-- comes late or twice moves nothing, and the first end of a run is its end. What is deleted
-- stays so, whichever run is told of later.
-- $1 document_ids  $2 owner_ids  $3 accepted_ats  $4 statuses  $5 runs  $6 ranks
INSERT INTO documents_seen (document_id, owner_id, accepted_at, status, run, rank)
SELECT document_id, owner_id, accepted_at, status, run, rank
  FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::integer[],
              $6::smallint[])
       AS seen (document_id, owner_id, accepted_at, status, run, rank)
 ORDER BY document_id
    ON CONFLICT (document_id) DO UPDATE
   SET status = excluded.status,
       run = excluded.run,
       rank = excluded.rank,
       moved_at = now()
 WHERE (documents_seen.status = 'deleted', documents_seen.run, documents_seen.rank)
       < (excluded.status = 'deleted', excluded.run, excluded.rank)
RETURNING document_id;
