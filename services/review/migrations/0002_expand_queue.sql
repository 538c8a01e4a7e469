-- What decides who is shown which item first. Old code goes on writing items without a rank:
-- they are due two days after they were opened and carry no points of their own.
ALTER TABLE review_items
    ADD COLUMN vendor_name       text,
    ADD COLUMN invoice_number    text,
    ADD COLUMN due_at            timestamptz NOT NULL DEFAULT now() + interval '48 hours',
    -- Shares of one, and what they were made of.
    ADD COLUMN doubt             double precision NOT NULL DEFAULT 0,
    ADD COLUMN complexity        double precision NOT NULL DEFAULT 0,
    ADD COLUMN value             double precision NOT NULL DEFAULT 0,
    ADD COLUMN ranked_on         jsonb NOT NULL DEFAULT '{}',
    -- Points that no time changes, and the points that a second adds.
    ADD COLUMN base              double precision NOT NULL DEFAULT 0,
    ADD COLUMN sla_rate          double precision NOT NULL DEFAULT 30 / (72 * 3600.0),
    -- When it was found to be overdue. Told once.
    ADD COLUMN breached_at       timestamptz,
    ADD COLUMN assigned_to       text,
    ADD COLUMN postponed_until   timestamptz,
    ADD COLUMN level             smallint NOT NULL DEFAULT 1,
    ADD COLUMN claimed_at        timestamptz,
    ADD COLUMN first_claimed_at  timestamptz,
    ADD COLUMN seconds_spent     double precision NOT NULL DEFAULT 0,
    ADD CONSTRAINT a_level_is_known CHECK (level BETWEEN 1 AND 3);

UPDATE review_items
   SET due_at = opened_at + interval '48 hours',
       claimed_at = CASE WHEN claimed_by IS NOT NULL THEN now() END,
       first_claimed_at = CASE WHEN claimed_by IS NOT NULL THEN now() END;

-- Generated, so that no statement can forget one half of them.
ALTER TABLE review_items
    ADD COLUMN rank_key double precision GENERATED ALWAYS AS (
        base - sla_rate * extract(epoch FROM due_at - to_timestamp(0))::double precision)
        STORED,
    ADD COLUMN held_by text GENERATED ALWAYS AS (
        coalesce(claimed_by, assigned_to, '')) STORED;

-- However a claim ends (given back, lost, taken, decided, withdrawn), its time is counted.
CREATE FUNCTION count_claims() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.claimed_by IS DISTINCT FROM OLD.claimed_by THEN
        IF OLD.claimed_by IS NOT NULL AND OLD.claimed_at IS NOT NULL THEN
            NEW.seconds_spent := OLD.seconds_spent + greatest(0, extract(
                epoch FROM least(now(), OLD.claimed_until) - OLD.claimed_at));
        END IF;
        NEW.claimed_at := CASE WHEN NEW.claimed_by IS NOT NULL THEN now() END;
        NEW.first_claimed_at := coalesce(OLD.first_claimed_at, NEW.claimed_at);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER claims_are_counted
    BEFORE UPDATE OF claimed_by ON review_items
    FOR EACH ROW EXECUTE FUNCTION count_claims();

-- Who is free to be claimed, in the order in which they are handed out: by whose they are, by
-- level, those overdue apart from the others.
CREATE INDEX ix_review_items_lane
    ON review_items (coalesce(assigned_to, ''), level, (-rank_key), opened_at, document_id)
 WHERE status = 'pending' AND postponed_until IS NULL AND breached_at IS NULL;
CREATE INDEX ix_review_items_lane_late
    ON review_items (coalesce(assigned_to, ''), level, (-base), opened_at, document_id)
 WHERE status = 'pending' AND postponed_until IS NULL AND breached_at IS NOT NULL;
-- The same two orders over everything that is open, to page through.
CREATE INDEX ix_review_items_rank
    ON review_items ((-rank_key), opened_at, document_id)
 WHERE status IN ('pending', 'in_review') AND breached_at IS NULL;
CREATE INDEX ix_review_items_rank_late
    ON review_items ((-base), opened_at, document_id)
 WHERE status IN ('pending', 'in_review') AND breached_at IS NOT NULL;
CREATE INDEX ix_review_items_held_by
    ON review_items (held_by)
 WHERE status IN ('pending', 'in_review') AND held_by <> '';
CREATE INDEX ix_review_items_lease
    ON review_items (claimed_until) WHERE status = 'in_review';
CREATE INDEX ix_review_items_postponed
    ON review_items (postponed_until) WHERE postponed_until IS NOT NULL;
CREATE INDEX ix_review_items_due
    ON review_items (due_at)
 WHERE status IN ('pending', 'in_review') AND breached_at IS NULL;
CREATE INDEX ix_review_items_decided
    ON review_items (decided_at) WHERE decided_at IS NOT NULL;
DROP INDEX ix_review_items_next;
-- Beginnings only: an entry longer than a third of a page would refuse the whole row.
CREATE INDEX ix_review_items_filename
    ON review_items (lower(left(filename, 200)) text_pattern_ops);
CREATE INDEX ix_review_items_vendor_name
    ON review_items (lower(left(vendor_name, 200)) text_pattern_ops)
 WHERE vendor_name IS NOT NULL;
CREATE INDEX ix_review_items_invoice_number
    ON review_items (lower(left(invoice_number, 200)) text_pattern_ops)
 WHERE invoice_number IS NOT NULL;

CREATE TABLE reviewers (
    name         text PRIMARY KEY,
    level        smallint NOT NULL DEFAULT 1,
    -- Away: nothing is assigned to them.
    active       boolean NOT NULL DEFAULT true,
    seen_at      timestamptz NOT NULL DEFAULT now(),
    -- Who has waited longest for an item is given the next.
    assigned_at  timestamptz,
    CONSTRAINT a_level_is_known CHECK (level BETWEEN 1 AND 3)
);
