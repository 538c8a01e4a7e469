-- What exports look through: of every document that has files its current version, with the
-- values by which people look for it. The results themselves stay in their files.
CREATE TABLE result_index (
    document_id    uuid        PRIMARY KEY,
    version        int         NOT NULL,
    owner_id       text        NOT NULL,
    accepted_at    timestamptz NOT NULL,
    changed_at     timestamptz NOT NULL DEFAULT now(),
    result_key     text        NOT NULL,
    verdict        text,
    engine         text,
    confidence     double precision,
    vendor_name    text,
    invoice_number text,
    issue_date     date,
    currency       text,
    -- Null until somebody has looked into the file: the rows from before this table.
    filled_at      timestamptz
);

-- The pages of an export, of one owner or of all.
CREATE INDEX ix_result_index_owner ON result_index (owner_id, accepted_at, document_id);
CREATE INDEX ix_result_index_accepted ON result_index (accepted_at, document_id);
CREATE INDEX ix_result_index_unfilled ON result_index (document_id) WHERE filled_at IS NULL;

INSERT INTO result_index (document_id, version, owner_id, accepted_at, changed_at,
                          result_key, verdict)
SELECT s.document_id, s.version, s.owner_id, s.accepted_at, o.changed_at,
       s.result_key, s.verdict
  FROM outputs o
  JOIN stored_results s USING (document_id, version);

-- Exports that are made in the background.
CREATE TABLE exports (
    export_id       uuid        PRIMARY KEY,
    owner_id        text        NOT NULL,
    idempotency_key text,
    -- Whose documents; null is everybody's.
    of_owner        text,
    wanted          jsonb       NOT NULL,
    format          text        NOT NULL,
    rows            text        NOT NULL,
    status          text        NOT NULL DEFAULT 'waiting',
    -- How many times it was begun; what an earlier run still writes is nobody's.
    run             int         NOT NULL DEFAULT 0,
    -- How many of them came to nothing by themselves: an erasure that takes one back does not
    -- count.
    failures        int         NOT NULL DEFAULT 0,
    claimed_until   timestamptz,
    total           int,
    done            int         NOT NULL DEFAULT 0,
    parts           int         NOT NULL DEFAULT 0,
    size_bytes      bigint,
    sha256          text,
    failure         text,
    created_at      timestamptz NOT NULL DEFAULT now(),
    started_at      timestamptz,
    ended_at        timestamptz,
    expires_at      timestamptz,
    -- Its files are gone.
    cleared_at      timestamptz,

    CONSTRAINT an_export_has_a_known_status CHECK (
        status IN ('waiting', 'running', 'completed', 'failed', 'cancelled', 'expired')),
    CONSTRAINT an_ended_export_has_an_end
        CHECK ((status IN ('waiting', 'running')) = (ended_at IS NULL)),
    CONSTRAINT a_key_orders_one_export UNIQUE (owner_id, idempotency_key)
);

CREATE INDEX ix_exports_open ON exports (created_at) WHERE status IN ('waiting', 'running');
CREATE INDEX ix_exports_uncleared ON exports (ended_at) WHERE cleared_at IS NULL;
CREATE INDEX ix_exports_owner ON exports (owner_id, created_at, export_id);

-- Every version that a person approved while it was the current one, on its way to consumers.
-- It holds ids only, and stays as a tombstone when its document is erased.
CREATE TABLE approvals (
    document_id uuid        NOT NULL,
    version     int         NOT NULL,
    owner_id    text        NOT NULL,
    verdict     text        NOT NULL,
    approved_at timestamptz NOT NULL DEFAULT now(),
    -- Given to committed rows only, by one at a time: whoever has seen a position has seen
    -- every one before it, in whatever order the rows were committed.
    position    bigint,
    erased_at   timestamptz,

    PRIMARY KEY (document_id, version),
    CONSTRAINT a_position_is_taken_once UNIQUE (position)
);

CREATE INDEX ix_approvals_unnumbered ON approvals (approved_at) WHERE position IS NULL;
CREATE INDEX ix_approvals_owner ON approvals (owner_id, position);

-- One row: the last position given. Whoever numbers holds it until the commit.
CREATE TABLE approvals_head (
    is_only  boolean PRIMARY KEY DEFAULT true,
    position bigint  NOT NULL DEFAULT 0,

    CONSTRAINT there_is_one_head CHECK (is_only)
);
INSERT INTO approvals_head DEFAULT VALUES;

INSERT INTO approvals (document_id, version, owner_id, verdict, approved_at)
SELECT s.document_id, s.version, s.owner_id, s.verdict, o.changed_at
  FROM outputs o
  JOIN stored_results s USING (document_id, version)
 WHERE s.verdict IN ('approved', 'corrected');

CREATE TABLE consumers (
    consumer_id uuid        PRIMARY KEY,
    owner_id    text        NOT NULL,
    name        text        NOT NULL,
    -- Whose documents; null is everybody's.
    of_owner    text,
    -- Everything up to here was acknowledged.
    position    bigint      NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),

    CONSTRAINT a_consumer_has_one_name UNIQUE (owner_id, name)
);

CREATE TABLE handover_batches (
    batch_id        uuid        PRIMARY KEY,
    consumer_id     uuid        NOT NULL REFERENCES consumers,
    last_position   bigint      NOT NULL,
    count           int         NOT NULL,
    sha256          text        NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    times_given     int         NOT NULL DEFAULT 1,
    acknowledged_at timestamptz,
    acknowledged_by text,

    CONSTRAINT a_receipt_says_when_and_who
        CHECK ((acknowledged_at IS NULL) = (acknowledged_by IS NULL))
);

-- Until a batch is acknowledged it is the only one.
CREATE UNIQUE INDEX a_consumer_has_one_open_batch ON handover_batches (consumer_id)
 WHERE acknowledged_at IS NULL;
CREATE INDEX ix_handover_batches_receipts
    ON handover_batches (consumer_id, acknowledged_at, batch_id);

CREATE TABLE handover_items (
    batch_id    uuid   NOT NULL REFERENCES handover_batches,
    consumer_id uuid   NOT NULL,
    position    bigint NOT NULL,
    document_id uuid   NOT NULL,
    version     int    NOT NULL,

    PRIMARY KEY (batch_id, position),
    CONSTRAINT a_version_is_handed_over_once UNIQUE (consumer_id, document_id, version)
);
