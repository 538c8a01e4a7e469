-- Keep for later what waits longer than the delay ladder reaches.
-- $1 delays_s  $2 priorities  $3 exchanges  $4 routing_keys  $5 types  $6 headers  $7 bodies
INSERT INTO outbox_later (available_at, priority, exchange, routing_key, type, headers, body)
SELECT now() + make_interval(secs => owed.delay_s), priority, exchange, routing_key, type, headers, body
  FROM unnest($1::float8[], $2::smallint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[])
    AS owed (delay_s, priority, exchange, routing_key, type, headers, body);
