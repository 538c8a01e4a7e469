-- Whoever takes documents in shares these locks until the commit; who erases takes one alone.
-- Few numbers for all contents, since a batch may have a thousand; always in the same order.
-- $1 content_keys
SELECT pg_advisory_xact_lock_shared(hashtext('ingest.contents'), bucket)
  FROM (SELECT DISTINCT abs(hashtext(content_key) % 64) AS bucket
          FROM unnest($1::text[]) AS content_key
         ORDER BY bucket) AS buckets;
