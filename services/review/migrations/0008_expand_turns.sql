-- Who is told that somebody has an item in hand, and that nobody has, may hear it in any order.
-- Which came last a clock cannot say: two claims may begin and end within its grain, and a
-- transaction that waited for the row has an earlier time than the one it waited for.
ALTER TABLE review_items
    ADD COLUMN turn integer NOT NULL DEFAULT 0;

-- However a claim begins or ends: its time is counted, and so is the change of hands.
CREATE OR REPLACE FUNCTION count_claims() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.claimed_by IS DISTINCT FROM OLD.claimed_by THEN
        IF OLD.claimed_by IS NOT NULL AND OLD.claimed_at IS NOT NULL THEN
            NEW.seconds_spent := OLD.seconds_spent + greatest(0, extract(
                epoch FROM least(now(), OLD.claimed_until) - OLD.claimed_at));
        END IF;
        NEW.claimed_at := CASE WHEN NEW.claimed_by IS NOT NULL THEN now() END;
        NEW.first_claimed_at := coalesce(OLD.first_claimed_at, NEW.claimed_at);
        NEW.turn := OLD.turn + 1;
    END IF;
    RETURN NEW;
END $$;
