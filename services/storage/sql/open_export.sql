-- Take an export in, unless its key has ordered one or its owner waits for too many already.
-- $1 export_id  $2 owner_id  $3 idempotency_key  $4 of_owner  $5 wanted  $6 format  $7 rows
-- $8 open_max
INSERT INTO exports (export_id, owner_id, idempotency_key, of_owner, wanted, format, rows)
SELECT $1, $2, $3, $4, $5, $6, $7
 WHERE (SELECT count(*)
          FROM exports
         WHERE owner_id = $2
           AND status IN ('waiting', 'running')) < $8
    ON CONFLICT (owner_id, idempotency_key) DO NOTHING
RETURNING *;
