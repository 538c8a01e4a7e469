-- What should not be there for long: documents in processing for over half an hour, and deleted
-- ones of which something may still be held.
SELECT (SELECT count(*)
          FROM documents
         WHERE status = 'processing'
           AND greatest(started_at, released_at, reopened_at) < now() - interval '30 minutes')
           AS stuck,
       count(*) AS erasures,
       coalesce(extract(epoch FROM now() - min(asked_at)), 0)::double precision
           AS oldest_erasure_s
  FROM erasures;
