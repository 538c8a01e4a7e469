-- Nobody takes a document with such a content in until we have committed.
-- $1 content_key
SELECT pg_advisory_xact_lock(hashtext('ingest.contents'), abs(hashtext($1::text) % 64));
