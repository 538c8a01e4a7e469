-- What calls cost in the end, instead of what was set aside for them; on the day of the latter.
-- `due` is materialized: who has to wait for a row looks at it again, and of a UNION ALL that was
-- flattened into the join the database would then find the first branch only, and leave the row
-- of all together as it is.
-- $1 days  $2 owner_ids  $3 amounts  $4 costs
WITH told AS (
    SELECT day, owner_id, sum(amount) AS amount, sum(cost) AS cost
      FROM unnest($1::date[], $2::text[], $3::numeric[], $4::numeric[])
           AS call (day, owner_id, amount, cost)
     GROUP BY day, owner_id
), due AS MATERIALIZED (
    SELECT day, owner_id AS payer, amount, cost FROM told
     UNION ALL
    SELECT day, '', sum(amount), sum(cost) FROM told GROUP BY day
), locked AS (
    SELECT day, payer, due.amount, due.cost
      FROM spending
      JOIN due USING (day, payer)
     ORDER BY day, payer
       FOR UPDATE OF spending)
UPDATE spending
   SET reserved = greatest(spending.reserved - locked.amount, 0),
       spent = spending.spent + locked.cost
  FROM locked
 WHERE spending.day = locked.day
   AND spending.payer = locked.payer;
