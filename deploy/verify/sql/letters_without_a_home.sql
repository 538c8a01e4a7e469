-- Messages that no queue was there for, taken out of `unroutable` and waiting for a person.
-- $1 limit
SELECT letter_id::text AS subject,
       coalesce(type, 'a message') || ' had no home, ' || arrived_at AS detail,
       state AS mark
  FROM monitor.dead_letters
 WHERE dead_queue = 'unroutable'
   AND state IN ('open', 'replaying')
 ORDER BY subject
 LIMIT $1;
