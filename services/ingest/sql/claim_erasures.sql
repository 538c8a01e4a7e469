-- Those whose time has come, each tried less and less often. Nobody holds a row while bytes are
-- erased: the time of the next try keeps others off, and trying twice is trying once.
-- $1 count  $2 first_s  $3 longest_s
UPDATE erasures e
   SET tries = e.tries + 1,
       next_try_at = now() + make_interval(secs =>
           least($3::float8, $2::float8 * power(2, least(e.tries, 20))))
 WHERE e.document_id IN (
        SELECT document_id
          FROM erasures
         WHERE 'ingest' = ANY (awaited)
           AND next_try_at <= now()
         ORDER BY next_try_at
         LIMIT $1::integer
           FOR UPDATE SKIP LOCKED)
RETURNING e.document_id, e.content_key, e.tries;
