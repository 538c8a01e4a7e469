-- What an operator does to many letters at once. Each step is one transaction that locks the
-- row, so a crash leaves an operation between two steps and never inside one.
CREATE TABLE operations (
    operation_id     uuid PRIMARY KEY,
    kind             text NOT NULL,
    state            text NOT NULL DEFAULT 'preparing',
    selector         jsonb NOT NULL,
    arrived_before   timestamptz NOT NULL,
    reason           text NOT NULL,
    requested_by     text NOT NULL,
    request_key      text NOT NULL,
    request_digest   text NOT NULL,
    letters_max      integer NOT NULL,
    rate_per_s       double precision NOT NULL,
    in_flight_max    integer NOT NULL,
    canary           integer NOT NULL DEFAULT 0,
    paused_because   text,
    -- Whether the selection is written down whole, and if not, up to which letter.
    prepared         boolean NOT NULL DEFAULT false,
    prepared_at      timestamptz,
    prepared_id      uuid,
    total            integer NOT NULL DEFAULT 0,
    sent             integer NOT NULL DEFAULT 0,
    done             integer NOT NULL DEFAULT 0,
    already_applied  integer NOT NULL DEFAULT 0,
    withdrawn        integer NOT NULL DEFAULT 0,
    refailed         integer NOT NULL DEFAULT 0,
    skipped          integer NOT NULL DEFAULT 0,
    applied          integer NOT NULL DEFAULT 0,
    -- Letters that the rate allowed and nobody has sent yet.
    credit           double precision NOT NULL DEFAULT 1,
    stepped_at       timestamptz NOT NULL DEFAULT now(),
    -- What somebody steers by; and every change there is, for whoever watches.
    version          integer NOT NULL DEFAULT 1,
    seq              bigint NOT NULL DEFAULT 1,
    requested_at     timestamptz NOT NULL DEFAULT now(),
    started_at       timestamptz,
    ended_at         timestamptz,
    CONSTRAINT a_kind_is_known CHECK (kind IN ('replay', 'archive', 'unarchive', 'purge')),
    CONSTRAINT an_operation_state_is_known CHECK (
        state IN ('preparing', 'running', 'paused', 'completed', 'cancelled')),
    CONSTRAINT an_operation_ends_with_a_time CHECK (
        (state IN ('completed', 'cancelled')) = (ended_at IS NOT NULL)),
    CONSTRAINT a_key_asks_for_one_operation UNIQUE (requested_by, request_key)
);
CREATE INDEX ix_operations_moving ON operations (stepped_at)
 WHERE state IN ('preparing', 'running');
CREATE INDEX ix_operations_latest ON operations (requested_at DESC, operation_id DESC);
CREATE INDEX ix_operations_state
    ON operations (state, requested_at DESC, operation_id DESC);

CREATE TABLE operation_items (
    operation_id  uuid NOT NULL REFERENCES operations ON DELETE CASCADE,
    position      integer NOT NULL,
    -- No reference: the record of what was purged outlives it.
    letter_id     uuid NOT NULL,
    outcome       text NOT NULL DEFAULT 'waiting',
    detail        text,
    replay_id     uuid,
    settled_at    timestamptz,
    PRIMARY KEY (operation_id, position),
    CONSTRAINT an_outcome_is_known CHECK (outcome IN (
        'waiting', 'sent', 'done', 'already_applied', 'withdrawn', 'refailed', 'skipped',
        'applied')),
    CONSTRAINT what_was_sent_names_its_replay CHECK (
        outcome NOT IN ('sent', 'done', 'already_applied', 'withdrawn', 'refailed')
        OR replay_id IS NOT NULL)
);
CREATE INDEX ix_operation_items_waiting ON operation_items (operation_id, position)
 WHERE outcome = 'waiting';
CREATE INDEX ix_operation_items_outcome ON operation_items (operation_id, outcome, position);
CREATE INDEX ix_operation_items_letter ON operation_items (letter_id);
CREATE UNIQUE INDEX ix_operation_items_replay ON operation_items (replay_id)
 WHERE replay_id IS NOT NULL;

-- What people say of failures with one fingerprint. A muted group alerts nobody until then.
CREATE TABLE failure_groups (
    fingerprint  text PRIMARY KEY,
    comment      text NOT NULL DEFAULT '',
    owner        text,
    muted_until  timestamptz,
    version      integer NOT NULL DEFAULT 1,
    changed_by   text NOT NULL,
    changed_at   timestamptz NOT NULL DEFAULT now()
);

-- Edited and sent on under another job: the letter itself is never sent again.
ALTER TABLE dead_letters
    ADD COLUMN version integer NOT NULL DEFAULT 1,
    ADD COLUMN superseded_by uuid,
    DROP CONSTRAINT a_state_is_known,
    ADD CONSTRAINT a_state_is_known CHECK (
        state IN ('open', 'replaying', 'resolved', 'refailed', 'archived', 'superseded'));

-- Groups of what is not settled, newest of each first, without looking at all that ever died.
CREATE INDEX ix_dead_letters_groups ON dead_letters (fingerprint, arrived_at DESC)
 WHERE state IN ('open', 'replaying');
CREATE INDEX ix_dead_letters_in_order ON dead_letters (arrived_at, letter_id);

-- The one place that says which letters a selection names. Inlined by the planner, so what is
-- not asked for costs nothing.
CREATE FUNCTION selected_letters(selector jsonb, before timestamptz)
RETURNS SETOF dead_letters
LANGUAGE sql STABLE AS $$
    SELECT *
      FROM dead_letters
     WHERE arrived_at < before
       AND (selector->>'arrived_after' IS NULL
            OR arrived_at >= (selector->>'arrived_after')::timestamptz)
       AND (selector->'ids' IS NULL OR selector->'ids' = 'null'::jsonb
            OR letter_id = ANY (translate(selector->>'ids', '[]', '{}')::uuid[]))
       AND (selector->>'fingerprint' IS NULL OR fingerprint = selector->>'fingerprint')
       AND (selector->>'queue' IS NULL OR origin_queue = selector->>'queue')
       AND (selector->>'reason' IS NULL OR reason = selector->>'reason')
       AND (selector->>'category' IS NULL OR category = selector->>'category')
       AND (selector->>'type' IS NULL OR type = selector->>'type')
       AND (selector->>'owner_id' IS NULL OR owner_id = selector->>'owner_id')
       AND (selector->>'document_id' IS NULL
            OR document_id = (selector->>'document_id')::uuid)
$$;
