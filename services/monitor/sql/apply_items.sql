-- The next letters of an operation that sends nothing: put away, taken back out, or purged. Each
-- is looked up by its place, or those of a step would be compared each with each.
-- $1 operation_id  $2 kind  $3 states  $4 limit
WITH next AS MATERIALIZED (
        SELECT position, letter_id
          FROM operation_items
         WHERE operation_id = $1
           AND outcome = 'waiting'
         ORDER BY position
         LIMIT $4),
     purged AS (
        DELETE FROM dead_letters AS l
         USING next AS n
         WHERE $2 = 'purge'
           AND l.letter_id = n.letter_id
           AND l.state = ANY ($3::text[])
           -- A mended letter's new job may still be on its way: its end would be told to nobody.
           AND (l.state <> 'superseded' OR l.outcome IS NOT NULL)
     RETURNING l.letter_id, l.document_id, l.origin_queue, l.job_id, l.run, n.position),
     remembered AS (
        INSERT INTO letters_purged (document_id, letter_id, origin_queue, job_id, run)
        SELECT document_id, letter_id, origin_queue, job_id, run
          FROM purged
         WHERE document_id IS NOT NULL
            ON CONFLICT DO NOTHING),
     moved AS (
        UPDATE dead_letters AS l
           SET state = CASE $2 WHEN 'archive' THEN 'archived' ELSE 'open' END,
               settled_at = CASE $2 WHEN 'archive' THEN now() END,
               version = l.version + 1
          FROM next AS n
         WHERE $2 IN ('archive', 'unarchive')
           AND l.letter_id = n.letter_id
           AND l.state = ANY ($3::text[])
     RETURNING n.position),
     done AS (
        SELECT position FROM purged UNION ALL SELECT position FROM moved),
     applied AS (
        UPDATE operation_items AS i
           SET outcome = 'applied',
               settled_at = now()
          FROM done AS d
         WHERE i.operation_id = $1
           AND i.position = d.position
     RETURNING i.position),
     skipped AS (
        UPDATE operation_items AS i
           SET outcome = 'skipped',
               detail = CASE
                   WHEN l.letter_id IS NULL THEN 'gone'
                   WHEN l.state <> ALL ($3::text[]) THEN l.state
                   WHEN l.state = 'superseded' AND l.outcome IS NULL THEN 'replay_running'
                   -- Somebody else took it between our look and our turn.
                   ELSE 'taken' END,
               settled_at = now()
          FROM next AS n
          LEFT JOIN dead_letters AS l ON l.letter_id = n.letter_id
         WHERE i.operation_id = $1
           AND i.position = n.position
           AND n.position NOT IN (SELECT position FROM done)
     RETURNING i.position)
UPDATE operations AS o
   SET applied = o.applied + (SELECT count(*) FROM applied),
       skipped = o.skipped + (SELECT count(*) FROM skipped)
 WHERE o.operation_id = $1;
