-- Every kind of list that our statements take or give. The driver asks the server what a list
-- is made of when it meets the first of its kind, once more on each connection, and the answer
-- costs the server more than most of what is asked of it later.
SELECT NULL::bigint[], NULL::boolean[], NULL::bytea[], NULL::date[], NULL::float8[],
       NULL::integer[], NULL::numeric[], NULL::smallint[], NULL::text[], NULL::timestamptz[],
       NULL::uuid[];
