-- What was erased, and is not reported yet: the manifest of its day, or the merged file, may
-- still hold it. A day that changes all the time is never up to date, so each erasure knows the
-- revision of its day from which on it is gone.
CREATE TABLE erasures (
    document_id uuid        PRIMARY KEY,
    owner_id    text        NOT NULL,
    accepted_at timestamptz NOT NULL,
    day         date        NOT NULL,
    priority    smallint    NOT NULL,
    -- In whose name it is reported.
    cause_id    uuid        NOT NULL,
    run         int         NOT NULL,
    traceparent text,
    -- The last change of its day when it was erased; its own is among those up to it.
    change_id   bigint      NOT NULL,
    -- Null until that change is counted.
    revision    bigint,
    noted_at    timestamptz NOT NULL DEFAULT now()
);
