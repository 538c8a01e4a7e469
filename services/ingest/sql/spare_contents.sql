-- Somebody submits these by message: they are not ours to erase while the message may still be
-- replayed.
-- $1 content_keys  $2 for_s
INSERT INTO orphans AS o (content_key, due_at)
SELECT k.content_key, now() + make_interval(secs => $2::float8)
  FROM unnest($1::text[]) AS k(content_key)
 ORDER BY k.content_key
    ON CONFLICT (content_key) DO UPDATE
   SET due_at = excluded.due_at
 WHERE o.due_at < excluded.due_at;
