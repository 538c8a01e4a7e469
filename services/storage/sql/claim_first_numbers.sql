-- The first number of documents of which nothing is known yet, for what was read of them. The
-- documents' locks are held. Who is not among what comes back has to look closer.
-- $1 document_ids  $2 extraction_keys
INSERT INTO version_numbers (document_id, version, reading, review_revision, replaces,
                             extraction_key)
SELECT g.document_id, 1, 1, 0, 0, g.extraction_key
  FROM unnest($1::uuid[], $2::text[]) AS g (document_id, extraction_key)
 WHERE NOT EXISTS (
           SELECT
             FROM stored_results s
            WHERE s.document_id = g.document_id)
    ON CONFLICT DO NOTHING
RETURNING document_id, extraction_key;
