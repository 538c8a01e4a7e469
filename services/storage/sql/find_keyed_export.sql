-- What an owner has ordered under this key before.
-- $1 owner_id  $2 idempotency_key
SELECT *
  FROM exports
 WHERE owner_id = $1
   AND idempotency_key = $2;
