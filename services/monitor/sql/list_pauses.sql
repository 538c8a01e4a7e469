-- Which queues are paused, why, since when and until when?
SELECT queue, reason, detail, since, ends_at
  FROM queue_pauses
 WHERE paused
   AND (ends_at IS NULL OR ends_at > now())
 ORDER BY queue, reason;
