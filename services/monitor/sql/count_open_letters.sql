-- What waits for a person or for the end of a replay, by where and of what it died; and of how
-- much of it somebody has said that it shall alert nobody for now.
SELECT o.queue, o.reason, o.letters, coalesce(m.letters, 0) AS muted
  FROM (SELECT origin_queue AS queue, reason, count(*) AS letters
          FROM dead_letters
         WHERE state IN ('open', 'replaying')
         GROUP BY origin_queue, reason) AS o
  LEFT JOIN (
        SELECT l.origin_queue AS queue, l.reason, count(*) AS letters
          FROM failure_groups AS g
          JOIN dead_letters AS l ON l.fingerprint = g.fingerprint
         WHERE g.muted_until > now()
           AND l.state IN ('open', 'replaying')
         GROUP BY l.origin_queue, l.reason) AS m USING (queue, reason)
 ORDER BY o.letters DESC, o.queue, o.reason;
