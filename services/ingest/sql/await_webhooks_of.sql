-- Endpoints of one owner are counted and added one after the other.
-- $1 owner_id
SELECT pg_advisory_xact_lock(hashtext('ingest.webhooks'), hashtext($1::text));
