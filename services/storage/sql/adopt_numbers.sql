-- Of what was kept before readings were told apart: which number belongs to which reading. The
-- documents' locks are held.
-- $1 document_ids
INSERT INTO version_numbers AS known (document_id, version, reading, review_revision, replaces,
                                      extraction_key)
SELECT document_id, version, version, 0, version - 1, extraction_key
  FROM stored_results
 WHERE document_id = ANY ($1::uuid[])
   AND verdict IS NULL
    ON CONFLICT (document_id, version) DO UPDATE
   SET extraction_key = excluded.extraction_key
 WHERE known.extraction_key IS NULL;
