-- Members that have not ended. The held ones come first, then the last positions: what is
-- cancelled first lets no other go.
-- $1 batch_id  $2 limit
SELECT m.document_id
  FROM batch_members m
  JOIN documents d USING (document_id)
  LEFT JOIN waiting w ON w.document_id = m.document_id AND NOT w.ready
 WHERE m.batch_id = $1::uuid
   AND d.rank < 90
   -- What is being read anew has a result, and is not cancelled.
   AND d.result_version = 0
 ORDER BY w.document_id IS NULL, m.position DESC
 LIMIT $2::integer;
