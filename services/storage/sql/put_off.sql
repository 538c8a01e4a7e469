-- What cannot be published goes to the end of the line: a hundred of them would otherwise be all
-- that the repair ever looks at. The caller holds the rows.
-- $1 document_ids
UPDATE outputs
   SET changed_at = now()
 WHERE document_id = ANY ($1::uuid[])
   AND published_at IS NULL;
