-- What the manifest of this day says is not known any more, so it is written anew.
-- $1 day
UPDATE days
   SET manifest_revision = 0,
       manifest_at = NULL
 WHERE day = $1;
