-- Whoever inherits a person's values and whoever erases the last of them take turns until their
-- commit. Always in the same order.
-- $1 owner_ids  $2 sha256s
SELECT pg_advisory_xact_lock(hashtextextended('review.content.' || owner_id || '.' || sha256, 0))
  FROM (SELECT owner_id, sha256
          FROM unnest($1::text[], $2::text[]) AS content (owner_id, sha256)
         ORDER BY owner_id, sha256) AS sorted;
