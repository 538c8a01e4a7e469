-- An item's values in the order in which they were read.
-- $1 document_id
SELECT document_id, position, path, value, raw, confidence, status, source, evidence,
       alternatives, machine, locked_by
  FROM extracted_fields
 WHERE document_id = $1
 ORDER BY position, path;
