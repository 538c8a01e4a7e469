-- Something more is kept of a content, as long as an item has it. No row means that none does.
-- $1 sha256  $2 size
INSERT INTO drawn_contents AS kept (sha256, bytes)
SELECT $1, $2::bigint
 WHERE EXISTS (SELECT FROM item_pages WHERE sha256 = $1)
    ON CONFLICT (sha256) DO UPDATE
   SET bytes = kept.bytes + excluded.bytes,
       used_at = now()
RETURNING sha256;
