-- By what each document is recognised when it comes again, once for each name of its seller.
-- $1 keys
INSERT INTO invoice_keys (
       document_id, owner_id, seller_key, number_key, alike_key, year, total, currency,
       invoice_number, issue_date, version)
SELECT document_id, owner_id, seller_key, number_key, alike_key, year, total, currency,
       invoice_number, issue_date, version
  FROM jsonb_to_recordset($1::jsonb) AS keys (
       document_id uuid, owner_id text, seller_key text, number_key text, alike_key text,
       year integer, total numeric, currency text, invoice_number text, issue_date text,
       version smallint)
 ORDER BY document_id, seller_key;
