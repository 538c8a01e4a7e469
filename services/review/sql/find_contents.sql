-- What bytes these items are about.
-- $1 document_ids
SELECT DISTINCT owner_id, sha256
  FROM review_items
 WHERE document_id = ANY($1::uuid[])
 ORDER BY owner_id, sha256;
