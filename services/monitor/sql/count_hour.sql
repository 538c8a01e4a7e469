-- What happened in an hour: documents that came and ended, letters that came, replays that ended.
-- $1 since  $2 until
SELECT 'accepted' AS name, 'all' AS label, count(*)::float8 AS value
  FROM documents_seen
 WHERE accepted_at >= $1 AND accepted_at < $2
 UNION ALL
SELECT 'ended', status, count(*)::float8
  FROM documents_seen
 WHERE ended_at >= $1 AND ended_at < $2
 GROUP BY status
 UNION ALL
SELECT 'dead_letters', origin_queue, count(*)::float8
  FROM dead_letters
 WHERE arrived_at >= $1 AND arrived_at < $2
 GROUP BY origin_queue
 UNION ALL
SELECT 'replays', coalesce(outcome, 'running'), count(*)::float8
  FROM replays
 WHERE requested_at >= $1 AND requested_at < $2
 GROUP BY coalesce(outcome, 'running')
 ORDER BY name, label;
