-- Where the next walk begins.
-- $1 folder
UPDATE orphan_walk
   SET folder = $1::smallint,
       leased_until = '-infinity',
       walked_at = now();
