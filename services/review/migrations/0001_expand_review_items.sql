-- One item per document, whatever arrives twice: the document's id is the key.
CREATE TABLE review_items (
    document_id     uuid PRIMARY KEY,
    owner_id        text NOT NULL,
    accepted_at     timestamptz NOT NULL,
    priority        smallint NOT NULL,
    status          text NOT NULL DEFAULT 'pending',
    confidence      double precision NOT NULL,
    engine          text NOT NULL,
    extraction_key  text NOT NULL,
    -- What a person made of it; storage is told this key.
    reviewed_key    text,
    result_version  integer NOT NULL,
    sha256          text NOT NULL,
    duplicate       boolean NOT NULL,
    filename        text NOT NULL,
    -- What somebody's view of the item rests on; the ETag. A claim does not raise it.
    version         integer NOT NULL DEFAULT 1,
    -- How often it has been decided.
    revision        integer NOT NULL DEFAULT 0,
    claimed_by      text,
    claimed_until   timestamptz,
    decided_by      text,
    decided_at      timestamptz,
    reason_code     text,
    reason          text,
    -- The order that opened it: a decision goes on in its trace and run, days later.
    job_id          uuid NOT NULL,
    run             integer NOT NULL,
    traceparent     text,
    opened_at       timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT a_status_is_known CHECK (
        status IN ('pending', 'in_review', 'approved', 'corrected', 'rejected', 'withdrawn')),
    CONSTRAINT a_claim_has_an_owner_and_an_end CHECK (
        (claimed_by IS NULL) = (claimed_until IS NULL)),
    CONSTRAINT only_an_item_in_review_is_claimed CHECK (
        (status = 'in_review') = (claimed_by IS NOT NULL)),
    CONSTRAINT a_decision_has_a_person_and_a_time CHECK (
        (status IN ('approved', 'corrected', 'rejected')) = (decided_by IS NOT NULL)
        AND (decided_by IS NULL) = (decided_at IS NULL)),
    CONSTRAINT an_approval_names_what_was_approved CHECK (
        status NOT IN ('approved', 'corrected') OR reviewed_key IS NOT NULL)
);

-- The order in which items are handed out, of open items only: decided ones pile up for years.
CREATE INDEX ix_review_items_next
    ON review_items ((-priority), opened_at, document_id)
 WHERE status IN ('pending', 'in_review');
CREATE INDEX ix_review_items_status
    ON review_items (status, opened_at, document_id);
CREATE INDEX ix_review_items_arrival
    ON review_items (opened_at, document_id);

CREATE TABLE extracted_fields (
    document_id  uuid NOT NULL REFERENCES review_items ON DELETE CASCADE,
    path         text NOT NULL,
    position     integer NOT NULL,
    value        text,
    raw          text,
    confidence   double precision NOT NULL,
    status       text NOT NULL,
    source       text,
    evidence     jsonb NOT NULL DEFAULT '[]',
    PRIMARY KEY (document_id, path)
);

-- Documents nobody wants any more; kept for good, because an order may still be on its way.
CREATE TABLE withdrawn (
    document_id  uuid PRIMARY KEY,
    reason       text NOT NULL,
    at           timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT a_reason_is_known CHECK (reason IN ('cancelled', 'deleted'))
);
