-- True for the one replica that is to do it now: nobody has begun it within the period.
-- $1 name  $2 every_s
INSERT INTO rounds (name)
VALUES ($1)
    ON CONFLICT (name) DO UPDATE
   SET begun_at = now()
 WHERE rounds.begun_at < now() - make_interval(secs => $2)
RETURNING true;
