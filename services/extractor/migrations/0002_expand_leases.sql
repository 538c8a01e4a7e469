-- Who is reading which content just now, and which job an answer was given to.

-- One row per content in flight. Apart from the answers: a row without an answer would be taken
-- for one by a process that knows no leases yet.
CREATE TABLE leases (
    owner_id       text        NOT NULL,
    sha256         text        NOT NULL,
    config         text        NOT NULL,
    -- Another for each time it is taken: a holder whose lease was taken over has the wrong one.
    token          uuid,
    document_id    uuid        NOT NULL,
    job_id         uuid        NOT NULL,
    run            integer     NOT NULL,
    held_until     timestamptz NOT NULL,
    -- Its holder before had died, or had been silent for too long.
    taken_over     boolean     NOT NULL DEFAULT false,
    -- The engine said that this content can never be read; nobody holds it then.
    refused_for    text,
    refused_detail text,

    PRIMARY KEY (owner_id, sha256, config),
    CONSTRAINT a_lease_is_held_or_refused CHECK ((token IS NULL) = (refused_for IS NOT NULL)),
    CONSTRAINT a_refusal_has_a_detail
        CHECK ((refused_for IS NULL) = (refused_detail IS NULL))
);

-- Rows live for seconds: without frequent vacuuming every look wades through the dead.
ALTER TABLE leases SET (
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 0
);

ALTER TABLE processed_documents
    -- A forced reading is done again for every order but this one.
    ADD COLUMN job_id uuid;

-- Answers past their time are deleted in portions, oldest first.
CREATE INDEX ix_processed_documents_kept_at ON processed_documents (kept_at);
