-- The two rows that a call's money is taken from, on the first call of the day or of its owner.
-- $1 owner_id
INSERT INTO spending (day, payer)
SELECT (now() AT TIME ZONE 'UTC')::date, payer
  FROM (VALUES (''), ($1::text)) AS both_of_them (payer)
 ORDER BY payer
ON CONFLICT (day, payer) DO NOTHING;
