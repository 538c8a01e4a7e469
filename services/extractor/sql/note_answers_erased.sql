-- These do not lie anywhere any more.
-- $1 extraction_keys
DELETE FROM withdrawn_answers
 WHERE extraction_key IN (
        SELECT extraction_key
          FROM withdrawn_answers
         WHERE extraction_key = ANY ($1::text[])
         ORDER BY extraction_key
           FOR UPDATE);
