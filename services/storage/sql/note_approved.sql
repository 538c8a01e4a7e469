-- Put approved versions on the way to the consumers, as far as they are the current ones. Runs
-- behind `keep_stored`, which holds the rows of `outputs` until the commit. Nobody waits for
-- anybody here: positions are given later, to what has been committed.
-- $1 document_ids  $2 versions  $3 owner_ids  $4 verdicts
INSERT INTO approvals (document_id, version, owner_id, verdict)
SELECT g.document_id, g.version, g.owner_id, g.verdict
  FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[])
       AS g (document_id, version, owner_id, verdict)
  JOIN outputs o USING (document_id, version)
 WHERE g.verdict IN ('approved', 'corrected')
    ON CONFLICT (document_id, version) DO NOTHING;
