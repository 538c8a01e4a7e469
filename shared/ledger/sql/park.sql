-- Put aside what the broker would not take, where an operator sees it.
-- $1 reasons  $2 priorities  $3 exchanges  $4 routing_keys  $5 types  $6 headers  $7 bodies
INSERT INTO outbox_parked (reason, priority, exchange, routing_key, type, headers, body)
SELECT * FROM unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[]);
