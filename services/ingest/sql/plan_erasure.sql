-- In the commit that leaves the tombstone: what is to be erased, and who has to report.
-- $1 document_id  $2 content_key  $3 awaited
INSERT INTO erasures (document_id, content_key, awaited)
VALUES ($1::uuid, $2::text, $3::text[]);
