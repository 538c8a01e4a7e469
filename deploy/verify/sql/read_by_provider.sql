-- Contents that were asked about, and those that the provider has read since it counts: how many
-- readings of it there are, and whether all documents of the content have succeeded without any
-- answer of its, be it an earlier one.
-- $1 sha256s  $2 since
SELECT d.sha256,
       count(*) FILTER (WHERE e.at >= $2
                          AND NOT coalesce((e.body ->> 'cache_hit')::boolean, false)) AS readings,
       bool_and(d.status IN ('completed', 'duplicate') AND e.type IS NULL) AS unread
  FROM ingest.documents d
  LEFT JOIN ingest.document_events e
    ON e.document_id = d.document_id
   AND e.type = 'document.extracted'
   AND e.body ->> 'engine' = 'gemini'
 WHERE d.status <> 'deleted'
   AND (d.sha256 = ANY ($1::text[]) OR e.at >= $2)
 GROUP BY d.sha256
 ORDER BY d.sha256;
