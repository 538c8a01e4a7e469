-- What an operator last said of each queue. Messages have no order: one that was said before, and
-- comes late or again, must not undo what was said after.
CREATE TABLE steerings (
    queue    text PRIMARY KEY,
    -- Time-ordered.
    told_by  uuid NOT NULL,
    at       timestamptz NOT NULL DEFAULT now()
);
