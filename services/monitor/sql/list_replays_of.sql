-- How letters of a document were sent back, alone or by an operation.
-- $1 document_id  $2 limit
SELECT r.replay_id, r.letter_id, r.queue, r.job_id, r.run, r.requested_by, r.reason, r.state,
       r.outcome, r.requested_at, r.settled_at, i.operation_id
  FROM dead_letters AS l
  JOIN replays AS r ON r.letter_id = l.letter_id
  LEFT JOIN operation_items AS i ON i.replay_id = r.replay_id
 WHERE l.document_id = $1
 ORDER BY r.requested_at, r.replay_id
 LIMIT $2;
