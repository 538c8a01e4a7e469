-- Nobody may erase it from now on. Holding it again says why anew; a tombstone holds nothing.
-- $1 document_id  $2 hold_by  $3 reason
UPDATE documents
   SET hold_since = coalesce(hold_since, now()),
       hold_by = $2::text,
       hold_reason = $3::text
 WHERE document_id = $1::uuid
   AND status <> 'deleted'
RETURNING document_id, hold_since AS since, hold_by AS by, hold_reason AS reason;
