-- What waits for a person or for the end of a replay, by where and of what it died.
SELECT origin_queue AS queue, reason, count(*) AS letters
  FROM dead_letters
 WHERE state IN ('open', 'replaying')
 GROUP BY origin_queue, reason
 ORDER BY letters DESC, queue, reason;
