-- A document that somebody has put on hold cannot be erased: not by its client, not by the end
-- of its time. It stands in the document's own row, so that whoever waits for the lock of that
-- row sees it, and a hold and a deletion never both win.
ALTER TABLE documents
    ADD COLUMN hold_since timestamptz,
    ADD COLUMN hold_by text,
    ADD COLUMN hold_reason text,
    ADD CONSTRAINT a_hold_has_somebody_and_a_reason
        CHECK (num_nulls(hold_since, hold_by, hold_reason) IN (0, 3)),
    ADD CONSTRAINT what_is_on_hold_is_not_deleted CHECK (hold_since IS NULL OR status <> 'deleted');

-- What ended first is asked first whether its time is over.
CREATE INDEX ix_documents_retention ON documents (completed_at)
 WHERE completed_at IS NOT NULL AND status <> 'deleted';
