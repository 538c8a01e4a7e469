-- What stood against approving without a person, and how often nothing else did.
-- $1 days
SELECT gate.code AS gate,
       regexp_replace(gate.field, '\.[0-9]+(?=\.|$)', '[]', 'g') AS field,
       count(DISTINCT i.document_id)::integer AS items,
       count(DISTINCT i.document_id) FILTER (WHERE jsonb_array_length(i.gates) = 1)::integer
           AS alone
  FROM review_items i
 CROSS JOIN LATERAL jsonb_to_recordset(i.gates) AS given (gate text, field text)
 CROSS JOIN LATERAL (SELECT given.gate, given.field) AS gate (code, field)
 WHERE i.opened_at >= now() - make_interval(days => $1)
 GROUP BY 1, 2
 ORDER BY items DESC, gate, field NULLS FIRST;
