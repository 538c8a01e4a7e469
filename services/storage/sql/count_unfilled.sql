-- How many results of an owner, or of everybody, a search for their values would miss.
-- $1 owner_id
SELECT count(*)
  FROM result_index
 WHERE filled_at IS NULL
   AND ($1::text IS NULL OR owner_id = $1);
