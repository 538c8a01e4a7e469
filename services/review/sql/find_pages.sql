-- Which pages an item has, as far as that is known.
-- $1 document_id
SELECT document_id, sha256, media_type, words_key, pages
  FROM item_pages
 WHERE document_id = $1;
