-- The next letters of an operation that sends nothing: put away, taken back out, or purged.
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
     RETURNING l.letter_id, l.document_id),
     remembered AS (
        INSERT INTO letters_purged (document_id, letter_id)
        SELECT document_id, letter_id FROM purged WHERE document_id IS NOT NULL
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
     RETURNING l.letter_id),
     marked AS (
        UPDATE operation_items AS i
           SET outcome = CASE WHEN a.letter_id IS NULL THEN 'skipped' ELSE 'applied' END,
               detail = CASE
                   WHEN a.letter_id IS NOT NULL THEN NULL
                   WHEN l.letter_id IS NULL THEN 'gone'
                   WHEN l.state = ANY ($3::text[]) THEN 'replay_running'
                   ELSE l.state END,
               settled_at = now()
          FROM next AS n
          LEFT JOIN (SELECT letter_id FROM purged UNION ALL SELECT letter_id FROM moved) AS a
            ON a.letter_id = n.letter_id
          LEFT JOIN dead_letters AS l ON l.letter_id = n.letter_id
         WHERE i.operation_id = $1
           AND i.position = n.position
     RETURNING i.outcome)
UPDATE operations AS o
   SET applied = o.applied + (SELECT count(*) FROM marked WHERE outcome = 'applied'),
       skipped = o.skipped + (SELECT count(*) FROM marked WHERE outcome = 'skipped')
 WHERE o.operation_id = $1;
