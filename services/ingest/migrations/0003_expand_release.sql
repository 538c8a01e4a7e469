-- The way from acceptance to the broker. Tables of their own: they are small, they change all
-- the time, and an index on `documents` would be paid for by every fact.

-- Accepted, not yet released. A hundred thousand rows here cost the broker nothing.
CREATE TABLE waiting (
    document_id uuid        PRIMARY KEY,
    owner_id    text        NOT NULL,
    priority    smallint    NOT NULL,
    accepted_at timestamptz NOT NULL,
    -- How many urgent documents had been released when this one began to wait.
    urgent_turn bigint      NOT NULL,
    -- False for one of a batch whose earlier members have to end first.
    ready       boolean     NOT NULL DEFAULT true,
    -- The order continues the trace of its request.
    traceparent text
);
CREATE INDEX ix_waiting_priority_owner_id_accepted_at
    ON waiting (priority, owner_id, accepted_at, document_id) WHERE ready;
CREATE INDEX ix_waiting_accepted_at ON waiting (accepted_at, document_id) WHERE ready;

-- Released, not yet past extraction: what the window counts.
CREATE TABLE places (
    document_id uuid        PRIMARY KEY,
    taken_at    timestamptz NOT NULL DEFAULT now()
);

-- Rows live for seconds: without frequent vacuuming every count wades through the dead.
ALTER TABLE waiting SET (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0
);
ALTER TABLE places SET (
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 0
);

-- Counts the urgent documents, which are released in the transactions that accept them. A
-- sequence, so that those do not wait for each other; gaps do not matter.
CREATE SEQUENCE urgent_turns;

-- One row: what was released since the oldest document last had its turn.
CREATE TABLE ageing (
    only_row     boolean PRIMARY KEY DEFAULT true,
    urgent_turn  bigint  NOT NULL DEFAULT 0,
    others       integer NOT NULL DEFAULT 0,

    CONSTRAINT there_is_one_row CHECK (only_row)
);
INSERT INTO ageing DEFAULT VALUES;

-- The owner last served within each priority; the next one in order follows.
CREATE TABLE rotation (
    priority smallint PRIMARY KEY,
    owner_id text     NOT NULL
);

ALTER TABLE documents
    ADD COLUMN released_at timestamptz,
    ADD COLUMN sweeps smallint NOT NULL DEFAULT 0;

-- What has come through, by the time of its release: whatever was released earlier and is
-- still under way has been overtaken. What the sweep itself gave up had been overtaken too.
CREATE INDEX ix_documents_priority_released_at_ended
    ON documents (priority, released_at)
 WHERE status IN ('completed', 'duplicate', 'failed');

-- Documents that were handed in together.
CREATE TABLE batches (
    batch_id     uuid        PRIMARY KEY,
    owner_id     text        NOT NULL,
    created_at   timestamptz NOT NULL,
    -- What was refused, by position, with the reason.
    rejected     jsonb       NOT NULL,
    completed_at timestamptz,
    -- Counts how often all of it had ended: a replay may reopen a member.
    revision     integer     NOT NULL DEFAULT 0
);

CREATE TABLE batch_members (
    document_id uuid    PRIMARY KEY,
    batch_id    uuid    NOT NULL,
    position    integer NOT NULL,

    CONSTRAINT a_position_is_taken_once UNIQUE (batch_id, position)
);

-- Whoever moves a document past extraction, or ends it, frees its place in that commit.
CREATE FUNCTION free_place() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    DELETE FROM places WHERE document_id = NEW.document_id;
    DELETE FROM waiting WHERE document_id = NEW.document_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER a_document_past_extraction_frees_its_place
    AFTER UPDATE OF rank ON documents
    FOR EACH ROW WHEN (OLD.rank < 30 AND NEW.rank >= 30)
    EXECUTE FUNCTION free_place();
