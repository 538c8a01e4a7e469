-- One export that can be fetched by whoever shows a link to it.
-- $1 export_id
SELECT *
  FROM exports
 WHERE export_id = $1
   AND status = 'completed'
   AND cleared_at IS NULL;
