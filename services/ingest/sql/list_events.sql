-- What happened to one document after a given event, in order.
-- $1 document_id  $2 after_seq  $3 limit
SELECT seq, at, type, body
  FROM document_events
 WHERE document_id = $1::uuid
   AND seq > $2::integer
 ORDER BY seq
 LIMIT $3::integer;
