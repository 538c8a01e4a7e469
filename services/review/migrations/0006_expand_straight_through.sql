-- Why a person has to look, known when the item is opened. Old code writes items that need one.
ALTER TABLE review_items
    -- What stood against it: code, field, how sure it was.
    ADD COLUMN gates      jsonb NOT NULL DEFAULT '[]',
    -- Approved by nobody: by the service itself, as soon as it gets to it.
    ADD COLUMN automatic  boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT gates_are_a_list CHECK (jsonb_typeof(gates) = 'array');

CREATE INDEX ix_review_items_automatic
    ON review_items (opened_at) WHERE automatic AND status = 'pending';
