-- What our own engine made of a content, kept while its document waits for the provider. A row
-- lives for as long as the wait does.

CREATE TABLE own_readings (
    owner_id    text        NOT NULL,
    sha256      text        NOT NULL,
    -- Of that engine alone: what the others are does not change it.
    config      text        NOT NULL,
    -- Whoever waits: with this document it is forgotten.
    document_id uuid        NOT NULL,
    -- Compressed: every word of the document stands in it.
    reading     bytea       NOT NULL,
    kept_at     timestamptz NOT NULL DEFAULT now(),

    PRIMARY KEY (owner_id, sha256, config)
);

-- Withdrawing a document forgets its reading, and knows only its id.
CREATE INDEX ix_own_readings_document_id ON own_readings (document_id);

-- What nobody came back for is deleted in portions, oldest first.
CREATE INDEX ix_own_readings_kept_at ON own_readings (kept_at);
