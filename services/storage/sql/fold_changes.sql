-- What was appended, counted on the rows of its days. What a transaction has not committed yet
-- is folded by a later round, so whoever compares revisions asks for unfolded changes too. So
-- are those of a day whose file is being replaced: the other days do not wait for that.
WITH free AS (
    SELECT day
      FROM days
     WHERE day IN (SELECT day FROM day_changes)
       FOR UPDATE SKIP LOCKED
), taken AS (
    DELETE FROM day_changes c
     WHERE c.day IN (SELECT day FROM free)
        OR NOT EXISTS (SELECT FROM days d WHERE d.day = c.day)
    RETURNING day, erased
)
INSERT INTO days AS known (day, revision, erased)
SELECT day, count(*), bool_or(erased)
  FROM taken
 GROUP BY day
 ORDER BY day
    ON CONFLICT (day) DO UPDATE
   SET revision = known.revision + excluded.revision,
       changed_at = now(),
       erased = known.erased OR excluded.erased;
