-- Said before anything is written there, so that what is written for nothing is found.
-- $1 reviewed_key  $2 document_id
INSERT INTO reviewed_drafts (reviewed_key, document_id)
VALUES ($1, $2);
