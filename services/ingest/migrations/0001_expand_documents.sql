-- The status view, its timeline, and idempotency keys. A document's row is updated several
-- times within seconds, so pages keep room for the new versions; only `status` is indexed among
-- what changes. There are no foreign keys: rows are written by the thousand, in one
-- transaction, by one adapter.
CREATE TABLE documents (
    document_id     uuid        PRIMARY KEY,
    owner_id        text        NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    started_at      timestamptz,
    completed_at    timestamptz,
    next_attempt_at timestamptz,
    -- Where it stands. A change of these is guarded by (run, rank).
    status          text        NOT NULL,
    rank            smallint    NOT NULL,
    run             integer     NOT NULL DEFAULT 0,
    attempts        integer     NOT NULL DEFAULT 0,
    progress        smallint    NOT NULL DEFAULT 0,
    -- What is shown about the moment, and the fact that said it.
    stage           text        NOT NULL,
    waiting_for     text,
    error_message   text,
    told_rank       smallint    NOT NULL,
    told_fact_id    uuid        NOT NULL,
    -- The review runs beside the rest and has an order of its own.
    review_status   text,
    review_rank     smallint    NOT NULL DEFAULT 0,
    review_fact_id  uuid,
    priority        smallint    NOT NULL,
    filename        text        NOT NULL,
    media_type      text        NOT NULL,
    sha256          text        NOT NULL,
    size_bytes      bigint      NOT NULL,
    content_key     text        NOT NULL,
    engine          text,
    confidence      double precision,
    reading_run     integer     NOT NULL DEFAULT -1,
    result_version  integer     NOT NULL DEFAULT 0,
    result_key      text,
    vendor_name     text,
    invoice_number  text,
    invoice_date    text,
    total           text,
    currency        text,
    duplicate       boolean     NOT NULL GENERATED ALWAYS AS (status = 'duplicate') STORED,
    -- Counts the changes; the entity tag of everything that shows this row.
    revision        bigint      NOT NULL DEFAULT 1,

    CONSTRAINT a_status_is_known CHECK (status IN
        ('queued', 'processing', 'completed', 'failed', 'duplicate', 'cancelled', 'deleted')),
    CONSTRAINT a_document_is_complete_iff_it_ended
        CHECK ((rank >= 90) = (completed_at IS NOT NULL)),
    CONSTRAINT an_ended_document_waits_for_nothing
        CHECK (rank < 90 OR (waiting_for IS NULL AND next_attempt_at IS NULL)),
    CONSTRAINT a_review_status_is_known CHECK (review_status IN
        ('pending', 'in_review', 'approved', 'corrected', 'rejected')),
    CONSTRAINT progress_is_a_percentage CHECK (progress BETWEEN 0 AND 100),
    CONSTRAINT a_priority_is_known CHECK (priority BETWEEN 1 AND 5),
    CONSTRAINT a_result_has_a_version CHECK ((result_key IS NOT NULL) = (result_version > 0))
) WITH (fillfactor = 80);

CREATE INDEX ix_documents_status_created_at
    ON documents (status, created_at) INCLUDE (document_id);
CREATE INDEX ix_documents_created_at ON documents (created_at, document_id);
CREATE INDEX ix_documents_owner_id_created_at
    ON documents (owner_id, created_at, document_id);

CREATE TABLE document_events (
    document_id uuid        NOT NULL,
    -- Without gaps, given under the lock of the document's row: a reader resumes after it.
    seq         integer     NOT NULL,
    at          timestamptz NOT NULL DEFAULT now(),
    type        text        NOT NULL,
    fact_id     uuid        NOT NULL,
    body        jsonb       NOT NULL,

    PRIMARY KEY (document_id, seq),
    CONSTRAINT a_fact_is_told_once UNIQUE (document_id, fact_id)
);

CREATE TABLE idempotency_keys (
    owner_id        text        NOT NULL,
    route           text        NOT NULL,
    idempotency_key text        NOT NULL,
    request_hash    text        NOT NULL,
    document_id     uuid        NOT NULL,
    expires_at      timestamptz NOT NULL,

    CONSTRAINT a_key_stands_for_one_request PRIMARY KEY (owner_id, route, idempotency_key)
);

CREATE INDEX ix_idempotency_keys_expires_at ON idempotency_keys (expires_at);
