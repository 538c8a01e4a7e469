-- It is erased, or somebody has it.
-- $1 content_key
DELETE FROM orphans WHERE content_key = $1::text;
