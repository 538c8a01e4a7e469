-- Somebody clicked: the idle time begins anew. A function, because every service sees clicks
-- and only ingest may write the table.
-- $1 token_hash
SELECT access.touch_session($1);
