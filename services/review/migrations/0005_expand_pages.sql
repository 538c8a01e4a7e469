-- As the reading measured them; an item from before this table gets its row when it is looked at.
CREATE TABLE item_pages (
    document_id  uuid PRIMARY KEY REFERENCES review_items ON DELETE CASCADE,
    sha256       text NOT NULL,
    media_type   text NOT NULL,
    -- Where the words lie that were recognised on them.
    words_key    text,
    -- Null while nobody has measured them.
    pages        jsonb
);

-- Whether anybody has a content still.
CREATE INDEX ix_item_pages_content ON item_pages (sha256);

-- What was drawn of a content lies in the object store, under its digest: how much, and when
-- somebody last looked at it. Counted twice when two processes draw the same at once.
CREATE TABLE drawn_contents (
    sha256   text PRIMARY KEY,
    bytes    bigint NOT NULL,
    used_at  timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX ix_drawn_contents_used ON drawn_contents (used_at DESC, sha256);
