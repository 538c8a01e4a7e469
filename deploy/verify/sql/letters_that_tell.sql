-- What dead letters show to whoever lists them.
SELECT letter_id::text AS subject, concat_ws(' ', exception, message, headers::text) AS text
  FROM monitor.dead_letters
 ORDER BY arrived_at;
