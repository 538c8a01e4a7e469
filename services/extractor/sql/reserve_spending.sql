-- Set money aside before calls, of all together and of each owner: all of these rows, or none
-- where there is no room for it (or no row yet). One statement, so that two replicas never both
-- give the last of it, and that nothing stays locked while a busy process comes to its commit;
-- always in one order, so that they never wait for each other. A limit that is NULL is none.
-- $1 owner_ids  $2 amounts  $3 total_max  $4 owner_max
WITH asked AS (
    SELECT owner_id AS payer, sum(amount) AS amount
      FROM unnest($1::text[], $2::numeric[]) AS wish (owner_id, amount)
     GROUP BY owner_id
), wanted AS (
    SELECT payer, amount FROM asked
     UNION ALL
    SELECT '', sum(amount) FROM asked
), locked AS (
    SELECT spending.day, payer, spending.reserved + spending.spent AS used, wanted.amount
      FROM spending
      JOIN wanted USING (payer)
     WHERE spending.day = (now() AT TIME ZONE 'UTC')::date
     ORDER BY payer
       FOR UPDATE OF spending)
UPDATE spending
   SET reserved = spending.reserved + locked.amount
  FROM locked
 WHERE spending.day = locked.day
   AND spending.payer = locked.payer
   AND (SELECT count(*) = (SELECT count(*) FROM wanted)
               AND bool_and((used + amount
                   <= CASE payer WHEN '' THEN $3::numeric ELSE $4::numeric END) IS NOT FALSE)
          FROM locked)
RETURNING spending.day, spending.payer, spending.reserved + spending.spent AS used;
