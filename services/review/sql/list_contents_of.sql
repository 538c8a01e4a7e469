-- Which contents these documents have, as far as any of their pages was asked for.
-- $1 document_ids
SELECT DISTINCT sha256
  FROM item_pages
 WHERE document_id = ANY($1::uuid[])
 ORDER BY sha256;
