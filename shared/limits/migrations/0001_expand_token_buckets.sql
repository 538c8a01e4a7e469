-- One row per shared rate. It is updated all the time and never grows, so half of each page
-- stays free: an update then needs neither a new page nor an index entry.
CREATE TABLE token_buckets (
    name        text PRIMARY KEY,
    tokens      double precision NOT NULL,
    refilled_at timestamptz NOT NULL,
    rate        double precision NOT NULL,
    capacity    double precision NOT NULL,
    held_until  timestamptz,
    CONSTRAINT a_bucket_is_never_overdrawn CHECK (tokens >= 0),
    CONSTRAINT a_bucket_fills CHECK (rate > 0),
    CONSTRAINT a_bucket_holds_a_token CHECK (capacity >= 1)
) WITH (fillfactor = 50);

COMMENT ON TABLE token_buckets IS 'rates shared by the replicas of one service';
COMMENT ON COLUMN token_buckets.held_until IS 'nothing is given out before: a provider asked for it';
