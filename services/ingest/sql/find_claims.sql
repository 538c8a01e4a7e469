-- What was accepted under these keys, and for which request.
-- $1 owner_ids  $2 routes  $3 idempotency_keys
SELECT k.owner_id, k.route, k.idempotency_key, k.request_hash, k.document_id
  FROM unnest($1::text[], $2::text[], $3::text[]) AS g(owner_id, route, idempotency_key)
  JOIN idempotency_keys k USING (owner_id, route, idempotency_key);
