-- The SHA-256 of a version's JSON, told with the commit that names it: without it, nobody could
-- say that a version was never rewritten. Null of what was kept before, and of a copy, which has
-- no file of its own; code of before leaves it out.
ALTER TABLE stored_results
    ADD COLUMN result_sha256 text;
