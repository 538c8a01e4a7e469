-- Those of these documents that still show what they showed, and nothing else is on its way:
-- until the transaction ends nobody publishes them anew. SKIP LOCKED: somebody is doing so.
-- $1 document_ids  $2 versions
SELECT o.document_id
  FROM outputs o
  JOIN unnest($1::uuid[], $2::int[]) AS given (document_id, version) USING (document_id)
 WHERE o.shown_version = given.version
   AND o.version = given.version
   AND o.published_at IS NOT NULL
   FOR UPDATE OF o SKIP LOCKED;
