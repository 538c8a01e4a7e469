-- A page of open items in the order in which they are handed out at one moment: those overdue
-- by `base`, the others by `rank_key`. Each of the two goes on where its own last row was.
-- $1 as_of  $2 key  $3 key_opened_at  $4 key_id  $5 base  $6 base_opened_at  $7 base_id
-- $8 status  $9 holder  $10 level  $11 due_from  $12 due_until  $13 pattern  $14 limit
SELECT item.*, (claimed_until >= now()) IS TRUE AS claim_holds
  FROM ((SELECT r.*, rank_key + sla_rate * extract(epoch FROM $1::timestamptz)::float8 AS score
           FROM review_items r
          WHERE status IN ('pending', 'in_review') AND breached_at IS NULL
            AND ((-rank_key), opened_at, document_id)
                > (-$2::float8, $3::timestamptz, $4::uuid)
            AND ($8::text IS NULL OR $8::text = 'open' OR status = $8::text)
            AND ($9::text IS NULL OR held_by = $9::text)
            AND ($10::smallint IS NULL OR level = $10::smallint)
            AND ($11::timestamptz IS NULL OR due_at >= $11::timestamptz)
            AND ($12::timestamptz IS NULL OR due_at < $12::timestamptz)
            AND ($13::text IS NULL
                 OR lower(left(vendor_name, 200)) LIKE lower($13::text)
                 OR lower(left(invoice_number, 200)) LIKE lower($13::text)
                 OR lower(left(filename, 200)) LIKE lower($13::text))
          ORDER BY (-rank_key), opened_at, document_id
          LIMIT $14::integer)
         UNION ALL
        (SELECT r.*, base AS score
           FROM review_items r
          WHERE status IN ('pending', 'in_review') AND breached_at IS NOT NULL
            AND ((-base), opened_at, document_id)
                > (-$5::float8, $6::timestamptz, $7::uuid)
            AND ($8::text IS NULL OR $8::text = 'open' OR status = $8::text)
            AND ($9::text IS NULL OR held_by = $9::text)
            AND ($10::smallint IS NULL OR level = $10::smallint)
            AND ($11::timestamptz IS NULL OR due_at >= $11::timestamptz)
            AND ($12::timestamptz IS NULL OR due_at < $12::timestamptz)
            AND ($13::text IS NULL
                 OR lower(left(vendor_name, 200)) LIKE lower($13::text)
                 OR lower(left(invoice_number, 200)) LIKE lower($13::text)
                 OR lower(left(filename, 200)) LIKE lower($13::text))
          ORDER BY (-base), opened_at, document_id
          LIMIT $14::integer)) AS item
 ORDER BY score DESC, opened_at, document_id
 LIMIT $14::integer;
