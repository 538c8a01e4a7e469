-- Documents that are still recognised by what older rules made of their seller and number.
-- $1 version  $2 limit
SELECT DISTINCT document_id
  FROM invoice_keys
 WHERE version < $1
 ORDER BY document_id
 LIMIT $2;
