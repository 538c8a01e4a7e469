-- What protects a provider, for all replicas: its breaker, and what is spent on it per day.

-- One row per provider, updated all the time: half of each page stays free.
CREATE TABLE breakers (
    name        text             PRIMARY KEY,
    state       text             NOT NULL DEFAULT 'closed',
    -- In a row, over all replicas.
    failures    integer          NOT NULL DEFAULT 0,
    -- Of the failure that opened it.
    reason      text,
    -- Since when it has not been closed: a probe that fails does not begin it anew.
    opened_at   timestamptz,
    -- For how long from then on documents wait for it; afterwards they go on without.
    patience_s  double precision NOT NULL DEFAULT 0,
    -- When the next probe may be made.
    due_at      timestamptz,
    -- Who makes it, and until when that is believed.
    probe       uuid,
    probe_until timestamptz,

    CONSTRAINT a_breaker_has_a_known_state CHECK (state IN ('closed', 'open', 'half-open')),
    CONSTRAINT only_a_closed_breaker_was_not_opened
        CHECK ((state = 'closed') = (opened_at IS NULL)),
    CONSTRAINT an_open_breaker_says_why
        CHECK (state = 'closed' OR reason IS NOT NULL AND due_at IS NOT NULL),
    CONSTRAINT only_a_half_open_breaker_is_probed
        CHECK ((state = 'half-open') = (probe IS NOT NULL)
               AND (probe IS NULL) = (probe_until IS NULL))
) WITH (fillfactor = 50);

-- In the money of the price list. A day is one in UTC; what all pay together has no payer.
CREATE TABLE spending (
    day      date    NOT NULL,
    payer    text    NOT NULL,
    -- Of calls that are under way, by estimate. What a killed process leaves here stays spent.
    reserved numeric NOT NULL DEFAULT 0,
    spent    numeric NOT NULL DEFAULT 0,

    PRIMARY KEY (day, payer),
    CONSTRAINT spending_is_never_negative CHECK (reserved >= 0 AND spent >= 0)
) WITH (fillfactor = 50);

-- Read while an engine was away: it serves the job that it was read for, and no later upload.
ALTER TABLE processed_documents
    ADD COLUMN degraded boolean NOT NULL DEFAULT false;
