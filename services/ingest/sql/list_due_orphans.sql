-- Those that have had no document for long enough.
-- $1 limit
SELECT content_key
  FROM orphans
 WHERE is_document
   AND due_at <= now()
 ORDER BY due_at
 LIMIT $1::integer;
