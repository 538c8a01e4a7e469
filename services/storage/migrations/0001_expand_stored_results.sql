-- Every version of every result, what the dated paths show, and what was withdrawn.

CREATE TABLE stored_results (
    document_id    uuid        NOT NULL,
    -- 1 is the machine's; a reviewer's decision at revision n is n + 1, so the natural key of
    -- a decision is the same as that of its result.
    version        int         NOT NULL,
    owner_id       text        NOT NULL,
    accepted_at    timestamptz NOT NULL,
    extraction_key text        NOT NULL,
    result_key     text        NOT NULL,
    has_files      boolean     NOT NULL,
    verdict        text,
    stored_at      timestamptz NOT NULL DEFAULT now(),

    PRIMARY KEY (document_id, version),
    CONSTRAINT a_version_counts_from_one CHECK (version >= 1),
    CONSTRAINT a_person_decides_every_version_after_the_first
        CHECK ((version > 1) = (verdict IS NOT NULL))
);

-- One row per document that has files: which version is current, and whether it is published.
CREATE TABLE outputs (
    document_id  uuid        PRIMARY KEY,
    version      int         NOT NULL,
    accepted_at  timestamptz NOT NULL,
    changed_at   timestamptz NOT NULL DEFAULT now(),
    published_at timestamptz
);

-- Nearly every row is published; the repair looks at the others only.
CREATE INDEX ix_outputs_behind ON outputs (changed_at) WHERE published_at IS NULL;

CREATE TABLE withdrawn (
    document_id uuid        PRIMARY KEY,
    reason      text        NOT NULL,
    noted_at    timestamptz NOT NULL DEFAULT now(),

    CONSTRAINT a_withdrawal_has_a_known_reason CHECK (reason IN ('cancelled', 'deleted'))
);
