-- A log that can only grow, and shows it when somebody with more rights changed it anyway.
-- The type of `entry` is json and not jsonb on purpose: it keeps the text that was hashed.
CREATE TABLE audit_log (
    seq      bigint PRIMARY KEY,
    at       timestamptz NOT NULL,
    entry    json NOT NULL,
    previous bytea NOT NULL,
    hash     bytea NOT NULL,
    -- Read from the entry, so that a list can never show what was not hashed.
    actor    text NOT NULL GENERATED ALWAYS AS (entry ->> 'actor') STORED,
    action   text NOT NULL GENERATED ALWAYS AS (entry ->> 'action') STORED,
    resource text NOT NULL GENERATED ALWAYS AS (entry ->> 'resource') STORED,
    CONSTRAINT a_line_says_who_did_what CHECK (actor <> '' AND action <> '' AND resource <> ''),
    CONSTRAINT a_line_stays_readable CHECK (octet_length(entry::text) <= 262144)
);

CREATE INDEX ix_audit_log_resource_seq ON audit_log (resource, seq);
CREATE INDEX ix_audit_log_actor_seq ON audit_log (actor, seq);

-- The end of the chain. Its row lock makes writers take turns until they commit: numbers have
-- no gaps, and a line that was rolled back was never counted.
CREATE TABLE audit_head (
    singleton boolean PRIMARY KEY DEFAULT true,
    seq       bigint NOT NULL,
    hash      bytea NOT NULL,
    CONSTRAINT there_is_one_head CHECK (singleton)
) WITH (fillfactor = 50);

INSERT INTO audit_head (seq, hash) VALUES (0, decode(repeat('00', 32), 'hex'));

-- The migrator grants INSERT and SELECT, no more, on tables whose comment begins like this.
COMMENT ON TABLE audit_log IS 'append-only: who did what, when and why, hash-chained';
COMMENT ON TABLE audit_head IS 'append-only: moved by the trigger of audit_log and nobody else';

-- SECURITY DEFINER because the service's role must not be able to move the head by itself.
CREATE FUNCTION link_audit_line() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
    head audit_head;
BEGIN
    SELECT * INTO STRICT head FROM audit_head FOR UPDATE;
    NEW.seq := head.seq + 1;
    NEW.at := clock_timestamp();
    NEW.previous := head.hash;
    NEW.hash := sha256(head.hash || convert_to(
        NEW.seq || '|'
        || to_char(NEW.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '|'
        || NEW.entry::text, 'UTF8'));
    UPDATE audit_head SET seq = NEW.seq, hash = NEW.hash;
    RETURN NEW;
END
$$;

CREATE FUNCTION refuse_to_change_the_audit() RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'insufficient_privilege';
END
$$;

-- Fixed, with pg_temp last: otherwise a temp table named audit_head would be the one moved.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION link_audit_line() SET search_path = %I, pg_temp',
                   current_schema());
END
$$;

CREATE TRIGGER a_line_is_linked
    BEFORE INSERT ON audit_log
    FOR EACH ROW EXECUTE FUNCTION link_audit_line();

CREATE TRIGGER a_line_is_never_changed
    BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_the_audit();

CREATE TRIGGER the_head_is_never_removed
    BEFORE DELETE OR TRUNCATE ON audit_head
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_the_audit();

-- The migrator grants by the comment each time; this covers a database migrated by hand.
DO $$
DECLARE
    service_role text := 'paperline_' || current_schema();
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = service_role) THEN
        EXECUTE format('REVOKE ALL ON audit_log, audit_head FROM %I', service_role);
        EXECUTE format('GRANT SELECT, INSERT ON audit_log TO %I', service_role);
        EXECUTE format('GRANT SELECT ON audit_head TO %I', service_role);
    END IF;
END
$$;
