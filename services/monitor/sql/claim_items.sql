-- The next letters of a replay: from open to replaying, each with a replay of its own, all in
-- one statement. A letter that is not open any more is skipped, and why is kept. Each is looked
-- up by its place: joined to one another, the letters of a step would be compared each with each.
-- $1 operation_id  $2 replay_ids  $3 queues  $4 days
WITH next AS MATERIALIZED (
        SELECT position, letter_id, row_number() OVER (ORDER BY position) AS place
          FROM operation_items
         WHERE operation_id = $1
           AND outcome = 'waiting'
         ORDER BY position
         LIMIT cardinality($2::uuid[])),
     claimed AS (
        UPDATE dead_letters AS l
           SET state = 'replaying',
               replay_id = ($2::uuid[])[n.place],
               version = l.version + 1
          FROM next AS n
         WHERE l.letter_id = n.letter_id
           AND l.state = 'open'
           AND l.job_id IS NOT NULL
           AND l.origin_queue = ANY ($3::text[])
           AND may_be_replayed(l.job_id, l.arrived_at, $4)
     RETURNING l.*, n.position),
     sent AS (
        UPDATE operation_items AS i
           SET outcome = 'sent',
               replay_id = c.replay_id
          FROM claimed AS c
         WHERE i.operation_id = $1
           AND i.position = c.position
     RETURNING i.position),
     skipped AS (
        UPDATE operation_items AS i
           SET outcome = 'skipped',
               detail = CASE
                   WHEN l.letter_id IS NULL THEN 'gone'
                   WHEN l.state <> 'open' THEN l.state
                   WHEN l.job_id IS NULL THEN 'unreadable'
                   WHEN l.origin_queue <> ALL ($3::text[]) THEN 'no_such_queue'
                   WHEN NOT may_be_replayed(l.job_id, l.arrived_at, $4) THEN 'too_old'
                   -- Somebody else took it between our look and our turn.
                   ELSE 'taken' END,
               settled_at = now()
          FROM next AS n
          LEFT JOIN dead_letters AS l ON l.letter_id = n.letter_id
         WHERE i.operation_id = $1
           AND i.position = n.position
           AND n.position NOT IN (SELECT position FROM claimed)
     RETURNING i.position),
     begun AS (
        INSERT INTO replays (replay_id, letter_id, queue, job_id, run, requested_by, reason)
        SELECT c.replay_id, c.letter_id, c.origin_queue, c.job_id, c.run + 1, o.requested_by,
               o.reason
          FROM claimed AS c
         CROSS JOIN operations AS o
         WHERE o.operation_id = $1),
     counted AS (
        UPDATE operations AS o
           SET sent = o.sent + (SELECT count(*) FROM sent),
               skipped = o.skipped + (SELECT count(*) FROM skipped)
         WHERE o.operation_id = $1)
SELECT *
  FROM claimed
 ORDER BY priority DESC, arrived_at, letter_id;
