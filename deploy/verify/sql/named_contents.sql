-- Every content that an accepted document stands on, in the order of the keys. What is deleted
-- names none any more.
-- $1 root
SELECT content_key AS key, size_bytes AS size, sha256, document_id::text AS subject,
       revision::text AS mark, 'content' AS what, NULL AS same_as
  FROM ingest.documents
 WHERE starts_with(content_key, $1)
   AND status <> 'deleted'
 ORDER BY content_key COLLATE "C";
