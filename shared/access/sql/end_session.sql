-- Sign out. Nothing when the session was over already. A function, because every service shows
-- pages and only ingest may write the table.
-- $1 token_hash
SELECT access.end_session($1);
