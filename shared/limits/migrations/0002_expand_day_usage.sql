-- What was used of a day's quota. A row per name and day: a new day begins at nothing without
-- anybody who resets it. Updated all the time, so half of each page stays free.
CREATE TABLE day_usage (
    name      text   NOT NULL,
    day       date   NOT NULL,
    documents bigint NOT NULL,
    bytes     bigint NOT NULL,
    PRIMARY KEY (name, day),
    CONSTRAINT usage_is_never_negative CHECK (documents >= 0 AND bytes >= 0)
) WITH (fillfactor = 50);

COMMENT ON TABLE day_usage IS 'what each name used of its quota, per day in UTC';
