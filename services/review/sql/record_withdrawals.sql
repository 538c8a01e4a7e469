-- A deletion outdoes a cancellation; a late cancellation never undoes a deletion.
-- $1 document_ids  $2 reasons
INSERT INTO withdrawn (document_id, reason)
SELECT document_id, reason
  FROM unnest($1::uuid[], $2::text[]) AS fact (document_id, reason)
 ORDER BY document_id
    ON CONFLICT (document_id) DO UPDATE
   SET reason = excluded.reason
 WHERE excluded.reason = 'deleted'
   AND withdrawn.reason <> 'deleted';
