-- Somebody looks at it. To the hour is good enough to say what nobody looks at any more.
-- $1 sha256
UPDATE drawn_contents
   SET used_at = now()
 WHERE sha256 = $1
   AND used_at < now() - interval '1 hour';
