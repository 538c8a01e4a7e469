-- How much a key may hand in within one day; NULL is as much as it likes. Who counts it keeps
-- the count: this is only what was agreed.
ALTER TABLE access.api_keys
    ADD COLUMN documents_per_day bigint,
    ADD COLUMN bytes_per_day bigint,
    ADD CONSTRAINT a_quota_lets_something_in
        CHECK (documents_per_day > 0 AND bytes_per_day > 0);

COMMENT ON COLUMN access.api_keys.documents_per_day IS 'from midnight to midnight, UTC';
COMMENT ON COLUMN access.api_keys.bytes_per_day IS 'from midnight to midnight, UTC';

-- Whoever shows a page has to be able to sign its reader out. It takes a token that only the
-- reader has, and opens nothing: so every service may, as it may say that somebody is there.
CREATE FUNCTION access.end_session(token_hash bytea) RETURNS text
    LANGUAGE sql SECURITY DEFINER
    SET search_path = access, pg_temp
AS $$
    UPDATE access.sessions
       SET ended_at = now()
     WHERE sessions.token_hash = end_session.token_hash
       AND ended_at IS NULL
       AND ends_at > now()
 RETURNING key_id
$$;

REVOKE ALL ON FUNCTION access.end_session(bytea) FROM PUBLIC;

DO $$
DECLARE
    service_role text;
BEGIN
    FOR service_role IN
        SELECT rolname
          FROM pg_roles
         WHERE rolname IN ('paperline_ingest', 'paperline_extractor', 'paperline_storage',
                           'paperline_review', 'paperline_monitor')
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION access.end_session(bytea) TO %I',
                       service_role);
    END LOOP;
END
$$;
