-- Which queues are paused, why, and since when?
SELECT queue, reason, since
  FROM queue_pauses
 WHERE paused
 ORDER BY queue, reason;
