-- Note that a content is erased, if no document has it any more. A row means: nobody has.
-- $1 content_key
INSERT INTO erased_contents AS e (content_key)
SELECT $1::text
 WHERE $1::text <> ''
   AND NOT EXISTS (SELECT FROM documents WHERE content_key = $1::text)
    ON CONFLICT (content_key) DO UPDATE SET erased_at = now()
RETURNING e.content_key;
