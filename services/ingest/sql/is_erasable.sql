-- Whether a content that was noted as erased may be: nobody has taken it in since, which would
-- have removed the note. Its lock is held.
-- $1 content_key
SELECT EXISTS (SELECT FROM erased_contents WHERE content_key = $1::text)
   AND NOT EXISTS (SELECT FROM documents WHERE content_key = $1::text);
