-- What an owner has handed in before, by its content: nobody may name the bytes of another.
-- $1 owner_id  $2 content_keys
SELECT DISTINCT ON (content_key) content_key, sha256, size_bytes, media_type
  FROM documents
 WHERE owner_id = $1::text
   AND content_key = ANY ($2::text[])
   AND status <> 'deleted'
 ORDER BY content_key;
