-- Which of these queues are paused, and whether it is time to try one delivery.
-- $1 queues
SELECT queue, reason, coalesce(next_probe_at <= now(), false) AS probe_due
  FROM pauses
 WHERE queue = ANY ($1) AND (ends_at IS NULL OR ends_at > now());
