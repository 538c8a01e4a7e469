-- Bytes go with the last document that has them. An upload of the same bytes may be on its way
-- meanwhile, so what was erased is noted until somebody hands it in again.
CREATE TABLE erased_contents (
    content_key text        PRIMARY KEY,
    erased_at   timestamptz NOT NULL DEFAULT now()
);

-- A tombstone has no content any more.
CREATE INDEX ix_documents_content_key ON documents (content_key) WHERE content_key <> '';
