-- Nobody wants it any more. Whoever runs it notices at its next page.
-- $1 export_id  $2 owner_id
UPDATE exports
   SET status = 'cancelled',
       ended_at = now()
 WHERE export_id = $1
   AND owner_id = $2
   AND status IN ('waiting', 'running')
RETURNING *;
