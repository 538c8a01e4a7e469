-- What nobody has looked at for so long, and of the rest the oldest beyond so many bytes.
-- $1 bytes_max  $2 unused_s  $3 limit
SELECT sha256
  FROM (SELECT sha256, used_at,
               sum(bytes) OVER (ORDER BY used_at DESC, sha256) AS with_newer
          FROM drawn_contents) AS kept
 WHERE with_newer > $1::bigint
    OR used_at < now() - make_interval(secs => $2)
 ORDER BY used_at, sha256
 LIMIT $3;
