-- Erasures whose days show nothing of them: neither the manifest nor the merged file is from
-- before. Of a day that was never merged, somebody may still have left such a file.
-- $1 limit
SELECT e.document_id, e.owner_id, e.accepted_at, e.priority, e.cause_id, e.run, e.traceparent,
       d.day IS NOT NULL AND coalesce(d.compacted_rows, 0) = 0 AS may_have_left_a_file
  FROM erasures e
  LEFT JOIN days d USING (day)
 WHERE e.revision IS NOT NULL
   AND (d.day IS NULL OR (
        d.manifest_revision >= e.revision
        AND (coalesce(d.compacted_rows, 0) = 0 OR d.compacted_revision >= e.revision)))
 ORDER BY e.noted_at
 LIMIT $1
   FOR UPDATE OF e SKIP LOCKED;
