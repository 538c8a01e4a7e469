-- Where the answers of withdrawn documents lie, until their bytes are erased: the rows that said so
-- go at once, so that no copy becomes the duplicate of nothing.

CREATE TABLE withdrawn_answers (
    extraction_key text PRIMARY KEY,
    document_id    uuid NOT NULL
);

-- Whoever erases a document knows only its id.
CREATE INDEX ix_withdrawn_answers_document_id ON withdrawn_answers (document_id);
