-- Compacted days whose files by document nobody needs any more.
-- $1 older_than_days  $2 limit
SELECT day
  FROM days
 WHERE manifest_compacted
   AND manifest_revision = revision
   AND compacted_revision = revision
   AND compacted_at < now() - make_interval(days => $1)
   AND (pruned_at IS NULL OR pruned_at < compacted_at)
 ORDER BY day
 LIMIT $2;
