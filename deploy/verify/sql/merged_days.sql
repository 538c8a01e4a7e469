-- The file that each merged day consists of: what it measures, how many documents it holds, and
-- how many the day shows; also where it is all there is, as the files by document were pruned.
-- A day that has changed since is merged anew, and its readers are sent elsewhere until then.
-- $1 root
SELECT $1 || 'date=' || to_char(d.day, 'YYYY-MM-DD') || '/invoices.parquet' AS key,
       d.compacted_size AS size, d.compacted_sha256 AS sha256, d.day::text AS subject,
       d.revision || ' ' || d.compacted_revision || ' ' || d.compacted_at AS mark,
       'merged day' AS what, NULL AS same_as,
       d.compacted_rows AS rows,
       CASE WHEN NOT EXISTS (SELECT FROM storage.day_changes c WHERE c.day = d.day)
            THEN (SELECT count(*)
                    FROM storage.outputs o
                   WHERE (o.accepted_at AT TIME ZONE 'UTC')::date = d.day
                     AND o.shown_version IS NOT NULL) END AS documents
  FROM storage.days d
 WHERE d.compacted_at IS NOT NULL
   AND d.compacted_rows > 0
   AND d.compacted_revision = d.revision
 ORDER BY d.day;
