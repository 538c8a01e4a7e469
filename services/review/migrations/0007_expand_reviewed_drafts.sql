-- Reviewed extractions that were written for a decision, until it is committed. What stays here was
-- written for nothing: another was faster, or a process died in between. Not bound to the item,
-- which may have been erased meanwhile.
CREATE TABLE reviewed_drafts (
    reviewed_key  text PRIMARY KEY,
    document_id   uuid NOT NULL,
    written_at    timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX ix_reviewed_drafts_document_id ON reviewed_drafts (document_id);

-- Whoever collects them takes the oldest first.
CREATE INDEX ix_reviewed_drafts_written_at ON reviewed_drafts (written_at);
