-- A document that has a result may be read anew, and what is deleted is erased behind the
-- commit that says so.
ALTER TABLE documents
    -- The result that the present run is to replace: what is stored and is no newer comes late.
    ADD COLUMN replaces_version integer NOT NULL DEFAULT 0,
    -- The engine is to be asked, whatever is known of the content.
    ADD COLUMN forced boolean NOT NULL DEFAULT false,
    ADD COLUMN reopened_at timestamptz,
    -- The result that the review status is about.
    ADD COLUMN review_version integer NOT NULL DEFAULT 1;

-- Deleted documents of which something may still be held somewhere. A row goes when all have
-- reported.
CREATE TABLE erasures (
    document_id uuid        PRIMARY KEY,
    content_key text        NOT NULL,
    asked_at    timestamptz NOT NULL DEFAULT now(),
    -- The services that have not reported yet, ingest itself among them.
    awaited     text[]      NOT NULL,
    tries       integer     NOT NULL DEFAULT 0,
    -- While it is being tried, when it is given up for lost.
    next_try_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ix_erasures_next_try_at ON erasures (next_try_at) WHERE 'ingest' = ANY (awaited);

-- Contents in the object store that no document refers to, each with the time from which on
-- it may be erased. What turned out to be no document stays, so that it is not looked at
-- again: what the other stages keep lies beside the uploads.
CREATE TABLE orphans (
    content_key text        PRIMARY KEY,
    due_at      timestamptz NOT NULL,
    is_document boolean     NOT NULL DEFAULT true
);
CREATE INDEX ix_orphans_due_at ON orphans (due_at) WHERE is_document;

-- One row: which folder of the store is walked next, as the first byte of its digests.
CREATE TABLE orphan_walk (
    only_row     boolean     PRIMARY KEY DEFAULT true,
    folder       smallint    NOT NULL DEFAULT 0,
    -- Until then nobody else walks.
    leased_until timestamptz NOT NULL DEFAULT '-infinity',
    walked_at    timestamptz NOT NULL DEFAULT '-infinity',

    CONSTRAINT there_is_one_walk CHECK (only_row),
    CONSTRAINT a_folder_is_a_byte CHECK (folder BETWEEN 0 AND 255)
);
INSERT INTO orphan_walk DEFAULT VALUES;
