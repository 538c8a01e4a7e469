-- Set money aside before a call, of all together and of its owner: both rows, or none where
-- there is no room for it (or no row yet). One statement, so that two replicas never both give
-- the last of it, and that nothing stays locked while a busy process comes to its commit; always
-- in one order, so that they never wait for each other. A limit that is NULL is none.
-- $1 owner_id  $2 amount  $3 total_max  $4 owner_max
WITH both_rows AS (
    SELECT day, payer, reserved, spent
      FROM spending
     WHERE day = (now() AT TIME ZONE 'UTC')::date
       AND payer IN ('', $1)
     ORDER BY payer
       FOR UPDATE)
UPDATE spending
   SET reserved = spending.reserved + $2::numeric
  FROM both_rows
 WHERE spending.day = both_rows.day
   AND spending.payer = both_rows.payer
   AND (SELECT count(*) = 2
               AND bool_and((reserved + spent + $2::numeric
                   <= CASE payer WHEN '' THEN $3::numeric ELSE $4::numeric END) IS NOT FALSE)
          FROM both_rows)
RETURNING spending.day, spending.payer, spending.reserved + spending.spent AS used;
