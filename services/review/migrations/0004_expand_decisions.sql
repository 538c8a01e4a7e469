-- What becomes of a decision: taken back, or one that names another document.
ALTER TABLE review_items
    -- The document that this one is another copy of.
    ADD COLUMN duplicate_of        uuid,
    -- Who opened it again, until it is decided.
    ADD COLUMN reopened_by         text,
    -- The document is being read anew because somebody asked for it here.
    ADD COLUMN reextract_asked_at  timestamptz,
    ADD COLUMN reextract_asked_by  text,
    ADD CONSTRAINT nothing_is_its_own_duplicate CHECK (duplicate_of <> document_id),
    ADD CONSTRAINT a_new_reading_is_asked_for_by_somebody CHECK (
        (reextract_asked_at IS NULL) = (reextract_asked_by IS NULL));

-- A file that held several invoices, and the documents that were made of its pages. A child is
-- known here before it exists: ingest makes it under this very id.
CREATE TABLE split_parts (
    document_id  uuid PRIMARY KEY,
    parent_id    uuid NOT NULL REFERENCES review_items ON DELETE CASCADE,
    position     integer NOT NULL,
    pages        integer[] NOT NULL,
    CONSTRAINT a_part_has_its_own_place UNIQUE (parent_id, position),
    CONSTRAINT a_part_has_pages CHECK (cardinality(pages) > 0)
);
