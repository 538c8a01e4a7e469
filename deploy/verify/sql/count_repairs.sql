-- How often the sweeper had to order something again.
SELECT coalesce(sum(sweeps), 0)::bigint AS repairs, count(*) AS documents
  FROM ingest.documents
 WHERE sweeps > 0;
