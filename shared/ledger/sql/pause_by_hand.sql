-- Pause a queue because somebody wants it, whatever it was paused for before. Nothing probes it.
-- $1 queue  $2 reason  $3 detail  $4 ends_at
WITH before AS (SELECT reason FROM pauses WHERE queue = $1)
INSERT INTO pauses (queue, reason, detail, ends_at, probe_every_s)
VALUES ($1, $2, $3, $4, 0)
    ON CONFLICT (queue) DO UPDATE
   SET reason = excluded.reason, detail = excluded.detail, paused_at = now(),
       ends_at = excluded.ends_at, next_probe_at = NULL, probe_every_s = 0
RETURNING (SELECT reason FROM before) AS before;
