-- Pause a queue for all replicas, unless it is paused already.
-- $1 queue  $2 reason  $3 detail  $4 probe_every_s
INSERT INTO pauses (queue, reason, detail, next_probe_at, probe_every_s)
VALUES ($1, $2, $3, now() + make_interval(secs => $4), $4)
    ON CONFLICT (queue) DO UPDATE
   SET reason = excluded.reason, detail = excluded.detail, paused_at = now(), ends_at = NULL,
       next_probe_at = excluded.next_probe_at, probe_every_s = excluded.probe_every_s
 WHERE pauses.ends_at <= now()
RETURNING queue;
