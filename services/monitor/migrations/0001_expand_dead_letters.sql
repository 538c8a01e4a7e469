-- Every dead letter, whole, and one row for it however often it is delivered.
CREATE TABLE dead_letters (
    letter_id         uuid PRIMARY KEY,
    -- Queue, job and run; of what cannot be read, queue and digest.
    natural_key       text NOT NULL,
    dead_queue        text NOT NULL,
    origin_queue      text NOT NULL,
    job_id            uuid,
    type              text,
    document_id       uuid,
    owner_id          text,
    run               integer NOT NULL,
    reason            text NOT NULL,
    category          text NOT NULL,
    exception         text NOT NULL,
    message           text NOT NULL,
    fingerprint       text NOT NULL,
    attempts          integer NOT NULL,
    first_failed_at   timestamptz,
    last_failed_at    timestamptz,
    body              bytea NOT NULL,
    body_bytes        integer NOT NULL,
    headers           jsonb NOT NULL,
    content_type      text NOT NULL,
    priority          smallint NOT NULL,
    -- The replay that ended in this letter.
    failed_replay_id  uuid,
    state             text NOT NULL DEFAULT 'open',
    -- The latest replay of this letter, and how it ended.
    replay_id         uuid,
    outcome           text,
    arrived_at        timestamptz NOT NULL DEFAULT now(),
    settled_at        timestamptz,
    CONSTRAINT a_letter_is_kept_once UNIQUE (natural_key),
    CONSTRAINT a_state_is_known CHECK (
        state IN ('open', 'replaying', 'resolved', 'refailed', 'archived')),
    CONSTRAINT only_a_job_is_replayed CHECK (replay_id IS NULL OR job_id IS NOT NULL),
    CONSTRAINT a_replaying_letter_names_its_replay CHECK (
        state <> 'replaying' OR replay_id IS NOT NULL)
);
-- Bodies are read one at a time and lists never touch them: out of the row they go.
ALTER TABLE dead_letters ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE INDEX ix_dead_letters_arrival ON dead_letters (arrived_at DESC, letter_id DESC);
CREATE INDEX ix_dead_letters_state ON dead_letters (state, arrived_at DESC, letter_id DESC);
CREATE INDEX ix_dead_letters_fingerprint
    ON dead_letters (fingerprint, arrived_at DESC, letter_id DESC);
CREATE INDEX ix_dead_letters_document ON dead_letters (document_id);
CREATE INDEX ix_dead_letters_replay ON dead_letters (replay_id) WHERE replay_id IS NOT NULL;
CREATE INDEX ix_dead_letters_open ON dead_letters (origin_queue, reason)
 WHERE state IN ('open', 'replaying');

CREATE TABLE replays (
    replay_id     uuid PRIMARY KEY,
    letter_id     uuid NOT NULL REFERENCES dead_letters ON DELETE CASCADE,
    queue         text NOT NULL,
    job_id        uuid NOT NULL,
    run           integer NOT NULL,
    requested_by  text NOT NULL,
    reason        text NOT NULL,
    state         text NOT NULL DEFAULT 'running',
    outcome       text,
    requested_at  timestamptz NOT NULL DEFAULT now(),
    settled_at    timestamptz,
    CONSTRAINT a_replay_is_settled_with_an_outcome CHECK (
        (state = 'settled') = (outcome IS NOT NULL) AND (outcome IS NULL) = (settled_at IS NULL)),
    CONSTRAINT a_replay_state_is_known CHECK (state IN ('running', 'settled'))
);
CREATE INDEX ix_replays_letter ON replays (letter_id);
CREATE INDEX ix_replays_running ON replays (requested_at) WHERE state = 'running';

-- Where each document stands, as far as facts have told.
CREATE TABLE documents_seen (
    document_id  uuid PRIMARY KEY,
    owner_id     text NOT NULL,
    accepted_at  timestamptz NOT NULL,
    status       text NOT NULL,
    run          integer NOT NULL,
    rank         smallint NOT NULL,
    moved_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ix_documents_seen_status ON documents_seen (status, moved_at);

-- Which queue is paused, and why. A queue may be paused for two reasons at once.
CREATE TABLE queue_pauses (
    queue    text NOT NULL,
    reason   text NOT NULL,
    paused   boolean NOT NULL,
    -- The fact that said so. Its id is time-ordered: a late fact does not undo a later one.
    told_by  uuid NOT NULL,
    since    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (queue, reason)
);
