-- Forget the use of days that nobody will ask about again.
-- $1 kept_days
DELETE FROM day_usage
 WHERE day < (now() AT TIME ZONE 'UTC')::date - $1::integer
RETURNING day;
