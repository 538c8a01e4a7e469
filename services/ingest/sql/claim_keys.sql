-- Of any number of requests with one key, one gets a row back. The others wait for it to
-- commit, get none, and look up what it did. An expired key is as good as a new one. Rows go
-- in key order, so that two batches never wait for each other.
-- $1 owner_ids  $2 routes  $3 idempotency_keys  $4 request_hashes  $5 document_ids  $6 ttl_s
INSERT INTO idempotency_keys AS k
       (owner_id, route, idempotency_key, request_hash, document_id, expires_at)
SELECT g.owner_id, g.route, g.idempotency_key, g.request_hash, g.document_id,
       now() + make_interval(secs => $6::double precision)
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::uuid[])
       AS g(owner_id, route, idempotency_key, request_hash, document_id)
 ORDER BY g.owner_id, g.route, g.idempotency_key
    ON CONFLICT (owner_id, route, idempotency_key) DO UPDATE
       SET request_hash = excluded.request_hash,
           document_id = excluded.document_id,
           expires_at = excluded.expires_at
     WHERE k.expires_at <= now()
RETURNING k.document_id;
