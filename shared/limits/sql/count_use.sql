-- Count what is handed out today, unless that is more than may be: one statement, so that two
-- replicas never both give the last of it. A limit that is NULL is none.
-- $1 name  $2 documents  $3 bytes  $4 documents_max  $5 bytes_max
INSERT INTO day_usage AS used (name, day, documents, bytes)
SELECT $1, (now() AT TIME ZONE 'UTC')::date, $2::bigint, $3::bigint
 WHERE ($2::bigint <= $4::bigint) IS NOT FALSE
   AND ($3::bigint <= $5::bigint) IS NOT FALSE
ON CONFLICT (name, day) DO UPDATE
   SET documents = used.documents + excluded.documents,
       bytes = used.bytes + excluded.bytes
 WHERE (used.documents + excluded.documents <= $4::bigint) IS NOT FALSE
   AND (used.bytes + excluded.bytes <= $5::bigint) IS NOT FALSE
RETURNING documents,
          bytes,
          extract(epoch FROM (day + 1)::timestamp AT TIME ZONE 'UTC' - now())::double precision
              AS ends_in_s;
