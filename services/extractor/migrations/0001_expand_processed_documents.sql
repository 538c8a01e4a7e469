-- The cache of answers by content, and the documents that were withdrawn.

CREATE TABLE processed_documents (
    owner_id       text        NOT NULL,
    sha256         text        NOT NULL,
    -- Which engines, rules and models gave the answer: another configuration, another answer.
    config         text        NOT NULL,
    document_id    uuid        NOT NULL,
    extraction_key text        NOT NULL,
    kept_at        timestamptz NOT NULL DEFAULT now(),

    PRIMARY KEY (owner_id, sha256, config),
    CONSTRAINT a_digest_is_sha256 CHECK (sha256 ~ '^[0-9a-f]{64}$')
);

-- Deleting a document forgets its answer, and knows only its id.
CREATE INDEX ix_processed_documents_document_id ON processed_documents (document_id);

CREATE TABLE withdrawn (
    document_id uuid        PRIMARY KEY,
    reason      text        NOT NULL,
    noted_at    timestamptz NOT NULL DEFAULT now(),

    CONSTRAINT a_withdrawal_has_a_known_reason CHECK (reason IN ('cancelled', 'deleted'))
);
