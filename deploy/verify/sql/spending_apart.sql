-- Days on which what all have spent together is not the sum of what each has: the ledger of
-- spending does not add up.
-- $1 limit
SELECT day::text AS subject,
       'all together ' || coalesce(sum(spent) FILTER (WHERE payer = ''), 0) || ' and '
           || coalesce(sum(reserved) FILTER (WHERE payer = ''), 0) || ' set aside, each by itself '
           || coalesce(sum(spent) FILTER (WHERE payer <> ''), 0) || ' and '
           || coalesce(sum(reserved) FILTER (WHERE payer <> ''), 0) AS detail,
       sum(spent) || ' ' || sum(reserved) AS mark
  FROM extractor.spending
 GROUP BY day
HAVING coalesce(sum(spent) FILTER (WHERE payer = ''), 0)
           <> coalesce(sum(spent) FILTER (WHERE payer <> ''), 0)
    OR coalesce(sum(reserved) FILTER (WHERE payer = ''), 0)
           <> coalesce(sum(reserved) FILTER (WHERE payer <> ''), 0)
 ORDER BY subject
 LIMIT $1;
