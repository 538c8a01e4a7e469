-- What is in a batch, as it stands now: of an erased document there is nothing to fetch.
-- $1 batch_id
SELECT a.document_id, a.version, a.owner_id, a.verdict, a.approved_at, i.position,
       a.erased_at
  FROM handover_items i
  JOIN approvals a USING (document_id, version)
 WHERE i.batch_id = $1
 ORDER BY i.position;
