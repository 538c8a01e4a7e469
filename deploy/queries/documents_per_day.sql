-- What is there, day by day, and does it add up?
SELECT (accepted_at AT TIME ZONE 'UTC')::date AS day,
       currency,
       count(*)                    AS documents,
       count(DISTINCT document_id) AS different,
       sum(total)                  AS total
  FROM invoices
 GROUP BY day, currency
 ORDER BY day, currency;
