-- What the client keeps with a document, and prefixes to search by. Lower case is made by the
-- database on both sides of a comparison, so its own rules decide what equals what.
ALTER TABLE documents
    ADD COLUMN due_at timestamptz,
    ADD COLUMN tags text[] NOT NULL DEFAULT '{}',
    ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}',
    ADD CONSTRAINT tags_are_few CHECK (cardinality(tags) <= 20),
    ADD CONSTRAINT metadata_is_an_object CHECK (jsonb_typeof(metadata) = 'object');

CREATE INDEX ix_documents_tags ON documents USING gin (tags);
-- Only their beginnings: an entry longer than a third of a page would refuse the whole row.
CREATE INDEX ix_documents_vendor_name
    ON documents (lower(left(vendor_name, 200)) text_pattern_ops)
    WHERE vendor_name IS NOT NULL;
CREATE INDEX ix_documents_invoice_number
    ON documents (lower(left(invoice_number, 200)) text_pattern_ops)
    WHERE invoice_number IS NOT NULL;
CREATE INDEX ix_documents_filename ON documents (lower(filename) text_pattern_ops);

COMMENT ON COLUMN documents.metadata IS 'the client''s own; echoed back, never read by us';
COMMENT ON COLUMN documents.due_at IS 'when the client wants it done';
