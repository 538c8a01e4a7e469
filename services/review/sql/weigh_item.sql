-- What was changed on the form changes who is shown it first, and what it is found by. Its due time
-- stays. The caller has just raised the version, and so holds the row.
-- $1 document_id  $2 vendor_name  $3 invoice_number  $4 doubt  $5 complexity  $6 value  $7 base
-- $8 sla_rate  $9 ranked_on
UPDATE review_items
   SET vendor_name = $2,
       invoice_number = $3,
       doubt = $4,
       complexity = $5,
       value = $6,
       base = $7,
       sla_rate = $8,
       ranked_on = $9
 WHERE document_id = $1
RETURNING *, (claimed_until >= now()) IS TRUE AS claim_holds;
