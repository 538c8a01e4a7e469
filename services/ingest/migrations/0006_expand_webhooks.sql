-- Telling owners over HTTP. Deliveries are written in the transactions that move documents, so
-- nothing here may make one of those wait or fail: no foreign key leads from a delivery to its
-- endpoint (an endpoint that is deleted at that moment would refuse the whole batch of facts),
-- and a deleted endpoint stays as a tombstone until the sweeper has removed what it was told.
CREATE TABLE webhooks (
    webhook_id      uuid        PRIMARY KEY,
    owner_id        text        NOT NULL,
    url             text        NOT NULL,
    events          text[]      NOT NULL,
    description     text        NOT NULL,
    enabled         boolean     NOT NULL,
    -- Why it is off, where its owner did not turn it off.
    disabled_reason text,
    -- The secret is derived from this number; none is stored.
    secret_version  integer     NOT NULL DEFAULT 1,
    -- Until then the secret before is signed with too.
    overlap_until   timestamptz,
    -- Failures in a row, and since when there was no success between them.
    failures        integer     NOT NULL DEFAULT 0,
    failing_since   timestamptz,
    -- Endpoints take turns.
    served_at       timestamptz NOT NULL DEFAULT '-infinity',
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    deleted_at      timestamptz,
    -- Counts what the owner changed; the entity tag.
    revision        bigint      NOT NULL DEFAULT 1,

    CONSTRAINT an_endpoint_is_disabled_for_a_known_reason
        CHECK (disabled_reason IN ('gone', 'failing')),
    CONSTRAINT an_enabled_endpoint_has_no_reason_not_to_be
        CHECK (NOT enabled OR disabled_reason IS NULL),
    CONSTRAINT a_deleted_endpoint_is_told_nothing CHECK (deleted_at IS NULL OR NOT enabled),
    CONSTRAINT failures_have_a_beginning CHECK ((failures > 0) = (failing_since IS NOT NULL)),
    CONSTRAINT a_secret_has_a_version CHECK (secret_version > 0)
) WITH (fillfactor = 70);
CREATE INDEX ix_webhooks_owner_id_created_at
    ON webhooks (owner_id, created_at, webhook_id) WHERE deleted_at IS NULL;
CREATE INDEX ix_webhooks_created_at
    ON webhooks (created_at, webhook_id) WHERE deleted_at IS NULL;

CREATE TABLE webhook_deliveries (
    delivery_id uuid        PRIMARY KEY,
    webhook_id  uuid        NOT NULL,
    event       text        NOT NULL,
    -- What happened; the same fact told again is no second delivery.
    fact_id     uuid        NOT NULL,
    -- Ids and a status, never what an invoice says. Every attempt sends these bytes.
    body        text        NOT NULL,
    state       text        NOT NULL DEFAULT 'pending',
    -- When it may be tried; while it is being sent, when it is given up for lost.
    due_at      timestamptz DEFAULT now(),
    -- Of whoever is sending it: a sender that comes back too late changes nothing.
    lease_id    uuid,
    run         integer     NOT NULL DEFAULT 0,
    attempt     integer     NOT NULL DEFAULT 0,
    created_at  timestamptz NOT NULL DEFAULT now(),
    settled_at  timestamptz,

    CONSTRAINT a_fact_is_told_to_an_endpoint_once UNIQUE (webhook_id, event, fact_id),
    CONSTRAINT a_delivery_state_is_known
        CHECK (state IN ('pending', 'sending', 'delivered', 'failed')),
    CONSTRAINT a_delivery_is_due_until_it_is_settled
        CHECK ((due_at IS NULL) = (state IN ('delivered', 'failed'))),
    CONSTRAINT a_delivery_has_a_lease_while_it_is_sent
        CHECK ((lease_id IS NOT NULL) = (state = 'sending')),
    CONSTRAINT a_settled_delivery_has_a_time CHECK ((settled_at IS NOT NULL) = (due_at IS NULL)),
    CONSTRAINT a_body_is_small CHECK (octet_length(body) <= 8192)
) WITH (fillfactor = 80);
CREATE INDEX ix_webhook_deliveries_due_at
    ON webhook_deliveries (webhook_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_webhook_deliveries_sending
    ON webhook_deliveries (webhook_id) WHERE state = 'sending';
CREATE INDEX ix_webhook_deliveries_created_at
    ON webhook_deliveries (webhook_id, created_at, delivery_id);
CREATE INDEX ix_webhook_deliveries_state_created_at
    ON webhook_deliveries (webhook_id, state, created_at, delivery_id);

CREATE TABLE webhook_attempts (
    delivery_id uuid        NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
    run         integer     NOT NULL,
    attempt     integer     NOT NULL,
    at          timestamptz NOT NULL DEFAULT now(),
    duration_s  double precision NOT NULL,
    status_code integer,
    error       text,
    response    text        NOT NULL DEFAULT '',

    PRIMARY KEY (delivery_id, run, attempt),
    CONSTRAINT an_attempt_has_a_status_or_an_error CHECK (num_nonnulls(status_code, error) = 1),
    CONSTRAINT a_response_is_kept_short CHECK (octet_length(response) <= 4096)
);
