-- What a version's Parquet file measures, and by what its row is sorted in the file of a day.
ALTER TABLE stored_results
    ADD COLUMN table_size   int,
    ADD COLUMN table_sha256 text,
    ADD COLUMN issue_date   date,
    ADD COLUMN seller       text;

-- What the dated paths really show. While a newer version is on its way there, a manifest
-- still lists this one: a document never disappears because it changes.
ALTER TABLE outputs
    ADD COLUMN shown_version    int,
    ADD COLUMN shown_size       int,
    ADD COLUMN shown_sha256     text,
    -- Without a date or a seller it is sorted to the end, and to the beginning.
    ADD COLUMN shown_issue_date date NOT NULL DEFAULT 'infinity',
    ADD COLUMN shown_seller     text NOT NULL DEFAULT '',
    -- Where its files lie: templates may change, files stay until they are written again.
    ADD COLUMN json_key         text,
    ADD COLUMN parquet_key      text;
-- What was published before is shown bit by bit by a running process, and so is what replicas
-- of before publish beside it: here, all of it would wait for one long transaction.
CREATE INDEX ix_outputs_not_shown ON outputs (document_id)
 WHERE published_at IS NOT NULL AND shown_version IS DISTINCT FROM version;

-- The order of a day's file. Byte by byte, as those who read it compare.
CREATE INDEX ix_outputs_of_a_day
    ON outputs (((accepted_at AT TIME ZONE 'UTC')::date), shown_issue_date,
                shown_seller COLLATE "C", document_id)
 WHERE shown_version IS NOT NULL;

-- What was published before anybody measured: done bit by bit, and then it is empty for good.
CREATE INDEX ix_outputs_unmeasured ON outputs (document_id)
 WHERE shown_version IS NOT NULL AND shown_sha256 IS NULL;

-- Appended by whoever changes what a day shows, in the same commit: a counter on the day's row
-- would make all writers of a day wait for each other.
CREATE TABLE day_changes (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    day        date        NOT NULL,
    -- Something was erased: it must not stay in the compacted file until the day is quiet.
    erased     boolean     NOT NULL DEFAULT false,
    changed_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE days (
    day                date        PRIMARY KEY,
    -- Counts the changes that were folded into it.
    revision           bigint      NOT NULL,
    changed_at         timestamptz NOT NULL DEFAULT now(),
    erased             boolean     NOT NULL DEFAULT false,
    -- What the manifest lists, and whether it sends readers to the compacted file.
    manifest_revision  bigint      NOT NULL DEFAULT 0,
    manifest_compacted boolean     NOT NULL DEFAULT false,
    manifest_at        timestamptz,
    documents          bigint      NOT NULL DEFAULT 0,
    -- What the compacted file holds.
    compacted_revision bigint,
    compacted_at       timestamptz,
    compacted_size     bigint,
    compacted_sha256   text,
    compacted_rows     bigint,
    -- When one of its files could not be read; it has no compacted file then.
    failed_at          timestamptz,
    -- The files by document were removed, as they stand in the compacted one.
    pruned_at          timestamptz
);

-- Files of versions that no row knows: killed writers leave them. Erased when they are seen
-- again after a while and still nobody has written them anew.
CREATE TABLE strays (
    key         text        PRIMARY KEY,
    document_id uuid        NOT NULL,
    version     int         NOT NULL,
    seen_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ix_strays_document ON strays (document_id);

-- Which of the replicas does what one has to do now and then, and when it was begun last.
CREATE TABLE rounds (
    name     text        PRIMARY KEY,
    begun_at timestamptz NOT NULL DEFAULT now()
);
