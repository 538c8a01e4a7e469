-- Until the commit this transaction acts for a person. The triggers ask.
-- $1 actor
SELECT set_config('paperline.actor', $1, true);
