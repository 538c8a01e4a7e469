-- An item's values in the order of the form.
-- $1 document_id
SELECT document_id, position, path, value, raw, confidence, status, source, evidence
  FROM extracted_fields
 WHERE document_id = $1
 ORDER BY position;
