-- Which pages an item has, in place of what was known. The item is held on to while they are
-- kept: one that is being erased has none, and none are left behind it.
-- $1 items
INSERT INTO item_pages (document_id, sha256, media_type, words_key, pages)
SELECT document_id, given.sha256, given.media_type, given.words_key, given.pages
  FROM jsonb_to_recordset($1::jsonb) AS given (
       document_id uuid, sha256 text, media_type text, words_key text, pages jsonb)
  JOIN review_items r USING (document_id)
 ORDER BY document_id
   FOR KEY SHARE OF r
    ON CONFLICT (document_id) DO UPDATE
   SET sha256 = excluded.sha256,
       media_type = excluded.media_type,
       words_key = excluded.words_key,
       pages = excluded.pages;
