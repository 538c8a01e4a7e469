-- Those of these contents that were erased at some time; from now on somebody has them again.
-- $1 content_keys
DELETE FROM erased_contents
 WHERE content_key = ANY ($1::text[])
RETURNING content_key;
