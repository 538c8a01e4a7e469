-- Submissions may be waiting that nobody could take in: everything gets its whole time again.
-- $1 after_s
UPDATE orphans
   SET due_at = now() + make_interval(secs => $1::float8)
 WHERE is_document
   AND due_at < now() + make_interval(secs => $1::float8);
