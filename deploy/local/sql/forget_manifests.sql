-- A manifest may be younger than the rows: every day's is written anew.
UPDATE storage.days
   SET manifest_revision = 0,
       manifest_at = NULL;
