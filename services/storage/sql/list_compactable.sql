-- Closed days whose compacted file is not what they show, and whose manifest sends readers to
-- the files by document meanwhile. Quiet ones only, unless something erased is still in it.
-- One that lacked a file is tried once a day: somebody may have brought the file back.
-- $1 closed_before  $2 quiet_s  $3 limit
SELECT d.day
  FROM days d
 WHERE (d.day < $1 OR d.compacted_at IS NOT NULL)
   AND (d.compacted_revision IS DISTINCT FROM d.revision
        OR d.failed_at < now() - interval '1 day')
   AND d.manifest_revision = d.revision
   AND NOT d.manifest_compacted
   AND (d.documents > 0 OR d.compacted_at IS NOT NULL)
   AND (d.changed_at < now() - make_interval(secs => $2)
        OR (d.erased AND d.compacted_at IS NOT NULL))
   AND NOT EXISTS (SELECT FROM day_changes c WHERE c.day = d.day)
 ORDER BY (d.erased AND d.compacted_at IS NOT NULL) DESC, d.failed_at NULLS FIRST, d.day
 LIMIT $3;
