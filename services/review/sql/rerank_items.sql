-- Open items under other weights than those of the configuration. Kept are the shares, so
-- nothing has to be read anew.
-- $1 doubt  $2 complexity  $3 value  $4 sla_rate  $5 limit
UPDATE review_items
   SET base = $1 * doubt + $2 * complexity + $3 * value,
       sla_rate = $4
 WHERE document_id IN (
        SELECT document_id
          FROM review_items
         WHERE status IN ('pending', 'in_review')
           AND (abs(base - ($1 * doubt + $2 * complexity + $3 * value)) > 1e-6
                OR abs(sla_rate - $4) > 1e-12)
         LIMIT $5
           FOR UPDATE SKIP LOCKED)
RETURNING document_id;
