-- Keys, the sessions begun with them, and who ended which and why. Only hashes of secrets:
-- a copy of these tables opens nothing.
CREATE TABLE access.api_keys (
    key_id     text PRIMARY KEY,
    sha256     bytea NOT NULL,
    owner_id   text NOT NULL,
    name       text NOT NULL,
    roles      text[] NOT NULL,
    scopes     text[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    CONSTRAINT a_key_is_kept_as_its_hash CHECK (octet_length(sha256) = 32),
    CONSTRAINT a_key_belongs_to_somebody CHECK (owner_id <> '' AND length(owner_id) <= 200),
    CONSTRAINT a_key_has_a_role CHECK (cardinality(roles) > 0),
    CONSTRAINT a_key_lives_before_it_ends CHECK (expires_at > created_at)
);

CREATE INDEX ix_api_keys_owner_id_created_at ON access.api_keys (owner_id, created_at);

CREATE TABLE access.sessions (
    token_hash bytea PRIMARY KEY,
    key_id     text NOT NULL REFERENCES access.api_keys,
    created_at timestamptz NOT NULL DEFAULT now(),
    seen_at    timestamptz NOT NULL DEFAULT now(),
    ends_at    timestamptz NOT NULL,
    ended_at   timestamptz,
    CONSTRAINT a_token_is_kept_as_its_hash CHECK (octet_length(token_hash) = 32),
    CONSTRAINT a_session_ends CHECK (ends_at > created_at)
);

CREATE INDEX ix_sessions_key_id ON access.sessions (key_id);

CREATE TABLE access.revocations (
    key_id     text PRIMARY KEY REFERENCES access.api_keys,
    revoked_at timestamptz NOT NULL DEFAULT now(),
    actor      text NOT NULL,
    reason     text NOT NULL,
    CONSTRAINT a_revocation_has_a_reason CHECK (actor <> '' AND reason <> '')
);

COMMENT ON TABLE access.api_keys IS 'keys of programs and people, as hashes';
COMMENT ON TABLE access.sessions IS 'sign-ins at the pages, as hashes of their tokens';
COMMENT ON TABLE access.revocations IS 'append-only: who ended which key, and why';

-- The one thing that a service other than ingest may write: that somebody is still there. It
-- revives nothing; the limits are checked where a session is read.
CREATE FUNCTION access.touch_session(token_hash bytea) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path = access, pg_temp
AS $$
    UPDATE access.sessions
       SET seen_at = now()
     WHERE sessions.token_hash = touch_session.token_hash
       AND ended_at IS NULL
       AND ends_at > now()
$$;

REVOKE ALL ON FUNCTION access.touch_session(bytea) FROM PUBLIC;

-- Roles are made before the first migration; one that is missing here belongs to a service
-- that is not installed.
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
        EXECUTE format('GRANT USAGE ON SCHEMA access TO %I', service_role);
        EXECUTE format('GRANT SELECT ON access.api_keys, access.sessions, access.revocations'
                       ' TO %I', service_role);
        EXECUTE format('GRANT EXECUTE ON FUNCTION access.touch_session(bytea) TO %I',
                       service_role);
    END LOOP;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'paperline_ingest') THEN
        GRANT INSERT, UPDATE ON access.api_keys TO paperline_ingest;
        GRANT INSERT, UPDATE, DELETE ON access.sessions TO paperline_ingest;
        GRANT INSERT ON access.revocations TO paperline_ingest;
    END IF;
END
$$;
