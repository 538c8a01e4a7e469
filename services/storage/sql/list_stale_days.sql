-- Days whose manifest does not say what there is: at once after a while of rest, and else the
-- later the more it has to list. What was erased is not listed a moment longer than it must.
-- $1 debounce_s  $2 limit
SELECT day
  FROM days
 WHERE (manifest_revision <> revision
        OR manifest_compacted
           <> coalesce(compacted_revision = revision AND compacted_rows > 0, false))
   AND (manifest_at IS NULL
        OR erased
        OR manifest_at < now() - make_interval(secs => $1 + documents / 2000.0))
 ORDER BY day
 LIMIT $2;
