-- Whether submissions by message are not being taken in, for whatever reason.
-- $1 queue
SELECT EXISTS (
    SELECT FROM pauses WHERE queue = $1::text AND coalesce(ends_at > now(), true));
