-- Set money aside before a call, of all together and of its owner: a row for each of the two
-- where there is room for it. One statement, so that two replicas never both give the last of
-- it; always in one order, so that they never wait for each other. A limit that is NULL is none.
-- $1 owner_id  $2 amount  $3 total_max  $4 owner_max
INSERT INTO spending AS kept (day, payer, reserved)
SELECT (now() AT TIME ZONE 'UTC')::date, payer, $2::numeric
  FROM (VALUES ('', $3::numeric), ($1::text, $4::numeric)) AS ceiling (payer, most)
 WHERE ($2::numeric <= most) IS NOT FALSE
 ORDER BY payer
ON CONFLICT (day, payer) DO UPDATE
   SET reserved = kept.reserved + excluded.reserved
 WHERE (kept.reserved + kept.spent + excluded.reserved
        <= CASE kept.payer WHEN '' THEN $3::numeric ELSE $4::numeric END) IS NOT FALSE
RETURNING day, payer, reserved + spent AS used;
