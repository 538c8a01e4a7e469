-- Keep the first answer. The update that changes nothing makes a conflict return the row that
-- won, in one statement and under its lock; DO NOTHING would return no row at all.
-- $1 owner_id  $2 sha256  $3 config  $4 document_id  $5 extraction_key
INSERT INTO processed_documents AS kept (owner_id, sha256, config, document_id, extraction_key)
VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (owner_id, sha256, config) DO UPDATE
   SET document_id = kept.document_id
RETURNING document_id, extraction_key;
