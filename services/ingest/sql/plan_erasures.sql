-- In the commit that leaves the tombstones: what is to be erased, and who has to report.
-- $1 document_ids  $2 content_keys  $3 awaited
INSERT INTO erasures (document_id, content_key, awaited)
SELECT given.document_id, given.content_key, $3::text[]
  FROM unnest($1::uuid[], $2::text[]) AS given(document_id, content_key);
