-- What the rules say, and what the reader noticed.
-- $1 document_id
SELECT failed, noticed
  FROM item_findings
 WHERE document_id = $1;
