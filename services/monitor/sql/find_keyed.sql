-- What somebody asked for under this key.
-- $1 requested_by  $2 request_key
SELECT *
  FROM operations
 WHERE requested_by = $1
   AND request_key = $2;
