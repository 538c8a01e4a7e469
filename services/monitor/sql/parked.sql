-- Services that have messages which could not be sent and wait for a person.
-- $1 silent_s_max  $2 limit
SELECT service AS subject, max(outbox_parked) || ' messages' AS detail,
       count(*) OVER () AS total
  FROM processes_seen
 WHERE said_at > now() - make_interval(secs => $1)
   AND outbox_parked > 0
 GROUP BY service
 ORDER BY subject
 LIMIT $2;
