-- Let exactly one replica try one delivery each time a probe is due.
-- $1 queue
UPDATE pauses
   SET next_probe_at = now() + make_interval(secs => probe_every_s)
 WHERE queue = $1 AND next_probe_at <= now()
RETURNING queue;
