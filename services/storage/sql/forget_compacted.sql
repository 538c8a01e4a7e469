-- What the compacted file of this day holds is not known any more, so it is made anew.
-- $1 day
UPDATE days
   SET compacted_revision = NULL
 WHERE day = $1;
