-- The rows that calls' money is taken from, on the first call of the day or of an owner.
-- $1 owner_ids
INSERT INTO spending (day, payer)
SELECT (now() AT TIME ZONE 'UTC')::date, payer
  FROM (SELECT '' UNION SELECT unnest($1::text[])) AS all_of_them (payer)
 ORDER BY payer
ON CONFLICT (day, payer) DO NOTHING;
