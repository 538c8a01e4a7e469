-- What each process last told of itself. One that has not been heard of for a while is gone.
CREATE TABLE processes_seen (
    process_id           uuid PRIMARY KEY,
    service              text NOT NULL,
    build                text NOT NULL,
    door                 text NOT NULL,
    queues               text[] NOT NULL,
    started_at           timestamptz NOT NULL,
    outbox_unsent        integer NOT NULL,
    outbox_oldest_age_s  double precision NOT NULL,
    outbox_parked        integer NOT NULL,
    conditions           jsonb NOT NULL,
    -- When it was said, which is not when it was heard: the monitor may have been away.
    said_at              timestamptz NOT NULL
);
CREATE INDEX ix_processes_seen_said ON processes_seen (said_at);

-- Why, in words, and until when. A pause that ends by itself is told of once.
ALTER TABLE queue_pauses
    ADD COLUMN detail text NOT NULL DEFAULT '',
    ADD COLUMN ends_at timestamptz;
