-- How many approved versions a consumer has not acknowledged yet, up to a limit.
-- $1 position  $2 of_owner  $3 limit
SELECT count(*)
  FROM (SELECT
          FROM approvals
         WHERE (position > $1 OR position IS NULL)
           AND ($2::text IS NULL OR owner_id = $2)
           AND erased_at IS NULL
         LIMIT $3) AS waiting;
