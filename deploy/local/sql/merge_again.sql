-- What the merged files of these days hold is not known any more, so they are made anew.
-- $1 days
UPDATE storage.days
   SET compacted_revision = NULL
 WHERE day = ANY ($1::date[]);
