-- What became of documents that clients were promised.
-- $1 document_ids
SELECT document_id, status, sha256, size_bytes, content_key, revision::text AS mark,
       EXISTS (SELECT FROM monitor.documents_seen s WHERE s.document_id = d.document_id)
           AS is_known
  FROM ingest.documents d
 WHERE document_id = ANY ($1::uuid[]);
