-- They have just been given something; in the order in which they were.
-- $1 names
UPDATE reviewers r
   SET assigned_at = clock_timestamp() + make_interval(secs => given.place / 1e6)
  FROM unnest($1::text[]) WITH ORDINALITY AS given (name, place)
 WHERE r.name = given.name;
