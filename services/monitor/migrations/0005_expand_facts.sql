-- Every fact of every document, once, whatever order they came in.
CREATE TABLE document_facts (
    document_id  uuid NOT NULL,
    -- Of the fact: it has an identity of its own.
    job_id       uuid NOT NULL,
    type         text NOT NULL,
    run          integer NOT NULL,
    -- When it was written, which is not when it was heard.
    said_at      timestamptz NOT NULL,
    heard_at     timestamptz NOT NULL DEFAULT now(),
    trace_id     text,
    cause_id     uuid,
    detail       jsonb NOT NULL,
    PRIMARY KEY (document_id, job_id)
);
CREATE INDEX ix_document_facts_said ON document_facts (said_at);
-- Where is the invoice with these bytes, or of this name?
CREATE INDEX ix_document_facts_content ON document_facts ((detail->>'sha256'))
 WHERE type = 'document.accepted';
CREATE INDEX ix_document_facts_filename
    ON document_facts (lower(detail->>'filename') text_pattern_ops)
 WHERE type = 'document.accepted';
CREATE INDEX ix_documents_seen_accepted ON documents_seen (accepted_at);

-- Of documents that were accepted before, not every fact was kept: nothing can be proved of them.
CREATE TABLE conservation_began (
    at  timestamptz NOT NULL DEFAULT now()
);
INSERT INTO conservation_began DEFAULT VALUES;

-- A purged letter leaves this, or its document would seem to have failed without one.
CREATE TABLE letters_purged (
    document_id  uuid NOT NULL,
    letter_id    uuid NOT NULL,
    purged_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (document_id, letter_id)
);
