-- What a call cost in the end, instead of what was set aside for it; on the day of the latter.
-- $1 day  $2 owner_id  $3 amount  $4 cost
WITH both_rows AS (
    SELECT day, payer
      FROM spending
     WHERE day = $1
       AND payer IN ('', $2)
     ORDER BY payer
       FOR UPDATE)
UPDATE spending
   SET reserved = greatest(reserved - $3::numeric, 0),
       spent = spent + $4::numeric
  FROM both_rows
 WHERE spending.day = both_rows.day
   AND spending.payer = both_rows.payer;
