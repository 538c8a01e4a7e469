-- Written for decisions that would have been committed long ago. The oldest first.
-- $1 older_than_s  $2 limit
SELECT reviewed_key
  FROM reviewed_drafts
 WHERE written_at < now() - make_interval(secs => $1)
 ORDER BY written_at
 LIMIT $2;
