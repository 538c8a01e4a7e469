-- How many documents stand where?
SELECT status, count(*) AS documents
  FROM documents_seen
 GROUP BY status;
