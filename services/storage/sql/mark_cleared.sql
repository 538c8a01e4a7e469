-- The files of these are gone; what had been completed has expired.
-- $1 export_ids
UPDATE exports
   SET cleared_at = now(),
       status = CASE WHEN status = 'completed' THEN 'expired' ELSE status END
 WHERE export_id = ANY ($1::uuid[]);
