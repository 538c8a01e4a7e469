-- The files by document of this day are gone; its versions stay.
-- $1 day
UPDATE days
   SET pruned_at = now()
 WHERE day = $1;
