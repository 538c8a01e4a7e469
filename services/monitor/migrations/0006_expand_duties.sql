-- What has to be done every so often, by one of all monitors: when it was, and what came of it.
CREATE TABLE duties (
    name     text PRIMARY KEY,
    done_at  timestamptz NOT NULL,
    result   jsonb NOT NULL
);

-- How long documents take, by their class. What is told late was not late for that.
ALTER TABLE documents_seen
    ADD COLUMN priority smallint NOT NULL DEFAULT 3,
    ADD COLUMN ended_at timestamptz;
UPDATE documents_seen SET ended_at = moved_at WHERE rank >= 90;
CREATE INDEX ix_documents_seen_class ON documents_seen (priority, accepted_at);
