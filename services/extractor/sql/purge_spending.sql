-- Forget what was spent on days that nobody asks about any more.
-- $1 kept_days
DELETE FROM spending
 WHERE day < (now() AT TIME ZONE 'UTC')::date - $1::integer
RETURNING payer;
