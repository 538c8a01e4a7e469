-- What a service owes (outbox), what it has done (inbox), who may be killing it (starts) and
-- what it does not take for now (pauses).

CREATE TABLE outbox (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    priority    smallint    NOT NULL,
    exchange    text        NOT NULL,
    routing_key text        NOT NULL,
    type        text        NOT NULL,
    headers     text        NOT NULL,
    body        bytea       NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
);
-- The order in which the relay claims.
CREATE INDEX ix_outbox_priority_id ON outbox (priority DESC, id);
-- Rows live for milliseconds: without frequent vacuuming the claim wades through the dead.
ALTER TABLE outbox SET (
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0
);

-- Waits longer than the delay ladder reaches.
CREATE TABLE outbox_later (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    available_at timestamptz NOT NULL,
    priority     smallint    NOT NULL,
    exchange     text        NOT NULL,
    routing_key  text        NOT NULL,
    type         text        NOT NULL,
    headers      text        NOT NULL,
    body         bytea       NOT NULL
);
CREATE INDEX ix_outbox_later_available_at ON outbox_later (available_at);

-- What the broker had no queue for. It is tried again now and then, and alerts until it goes.
CREATE TABLE outbox_parked (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reason      text        NOT NULL,
    parked_at   timestamptz NOT NULL DEFAULT now(),
    priority    smallint    NOT NULL,
    exchange    text        NOT NULL,
    routing_key text        NOT NULL,
    type        text        NOT NULL,
    headers     text        NOT NULL,
    body        bytea       NOT NULL
);

-- Partitioned by the time inside the job id, so that forgetting a day is dropping a table.
CREATE TABLE inbox (
    consumer text        NOT NULL,
    job_id   uuid        NOT NULL,
    run      integer     NOT NULL,
    outcome  text        NOT NULL,
    at       timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, job_id),
    CONSTRAINT a_job_is_done_or_has_failed CHECK (outcome IN ('done', 'failed'))
) PARTITION BY RANGE (job_id);
-- Ids that were made elsewhere carry no time.
CREATE TABLE inbox_elsewhere PARTITION OF inbox DEFAULT;
CREATE INDEX ix_inbox_elsewhere_at ON inbox_elsewhere (at);

CREATE TABLE starts (
    consumer text        NOT NULL,
    job_id   uuid        NOT NULL,
    starts   integer     NOT NULL,
    at       timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, job_id)
);

CREATE TABLE pauses (
    queue         text             PRIMARY KEY,
    reason        text             NOT NULL,
    detail        text             NOT NULL,
    paused_at     timestamptz      NOT NULL DEFAULT now(),
    -- Null: until somebody resumes it.
    ends_at       timestamptz,
    -- Null: not probed, as when an operator paused it.
    next_probe_at timestamptz,
    probe_every_s double precision NOT NULL
);

-- The smallest UUID of an instant: its milliseconds, then nothing.
CREATE FUNCTION first_id_of(instant timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$
    SELECT (lpad(to_hex(floor(extract(epoch FROM instant) * 1000)::bigint), 12, '0')
            || repeat('0', 20))::uuid
$$;

-- Cut the inbox by days: make those to come, drop those beyond keeping. Runs with the rights
-- of the owner, because a service's own role may change rows and nothing else; the schema is
-- spelled out, because such a function must not believe its caller's search path.
DO $install$
BEGIN
    EXECUTE format($function$
        CREATE FUNCTION roll_inbox(days_ahead integer, days_kept integer) RETURNS integer
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = %1$I, pg_temp SET timezone = 'UTC'
        AS $$
        DECLARE
            day     date;
            old     text;
            changed integer := 0;
        BEGIN
            -- One at a time; whoever comes second finds everything done.
            PERFORM pg_advisory_xact_lock(hashtext('roll_inbox'), hashtext(%1$L));
            FOR day IN SELECT generate_series(
                current_date - 1, current_date + days_ahead, interval '1 day')::date
            LOOP
                CONTINUE WHEN to_regclass('%1$I.inbox_' || to_char(day, 'YYYYMMDD')) IS NOT NULL;
                EXECUTE format(
                    'CREATE TABLE inbox_%%s PARTITION OF inbox FOR VALUES FROM (%%L) TO (%%L)',
                    to_char(day, 'YYYYMMDD'), first_id_of(day), first_id_of(day + 1));
                changed := changed + 1;
            END LOOP;
            FOR old IN SELECT c.relname
                         FROM pg_inherits i
                         JOIN pg_class c ON c.oid = i.inhrelid
                        WHERE i.inhparent = 'inbox'::regclass
                          AND c.relname ~ '^inbox_[0-9]{8}$'
                          AND to_date(right(c.relname, 8), 'YYYYMMDD') < current_date - days_kept
            LOOP
                EXECUTE format('DROP TABLE %%I', old);
                changed := changed + 1;
            END LOOP;
            DELETE FROM inbox_elsewhere WHERE at < now() - make_interval(days => days_kept);
            DELETE FROM starts WHERE at < now() - make_interval(days => days_kept);
            RETURN changed;
        END
        $$
    $function$, current_schema());
END
$install$;

-- A new service can take its first job before its first night.
SELECT roll_inbox(7, 45);
