-- Write down what a commit owes, all of it in one statement.
-- $1 priorities  $2 exchanges  $3 routing_keys  $4 types  $5 headers  $6 bodies
INSERT INTO outbox (priority, exchange, routing_key, type, headers, body)
SELECT * FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[]);
