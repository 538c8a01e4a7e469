-- What somebody asked for under this key within a day: later it means something new.
-- $1 requested_by  $2 request_key
SELECT *
  FROM operations
 WHERE requested_by = $1
   AND request_key = $2
   AND requested_at > now() - interval '24 hours'
 ORDER BY requested_at DESC
 LIMIT 1;
