-- Cells of rows that are no more.
-- $1 document_id  $2 paths
DELETE FROM extracted_fields
 WHERE document_id = $1
   AND path = ANY($2::text[]);
