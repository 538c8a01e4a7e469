-- Make the inbox's days to come and drop those beyond keeping.
-- $1 days_ahead  $2 days_kept
SELECT roll_inbox($1, $2);
