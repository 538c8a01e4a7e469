-- Let exports find these versions, as far as they are the current ones. Runs behind
-- `keep_stored`, which holds the rows of `outputs` until the commit.
-- $1 document_ids  $2 versions  $3 owner_ids  $4 accepted_at  $5 result_keys  $6 verdicts
-- $7 engines  $8 confidences  $9 vendor_names  $10 invoice_numbers  $11 issue_dates
-- $12 currencies
INSERT INTO result_index AS known (
       document_id, version, owner_id, accepted_at, result_key, verdict, engine, confidence,
       vendor_name, invoice_number, issue_date, currency, filled_at)
SELECT DISTINCT ON (g.document_id)
       g.document_id, g.version, g.owner_id, g.accepted_at, g.result_key, g.verdict,
       g.engine, g.confidence, g.vendor_name, g.invoice_number, g.issue_date, g.currency,
       now()
  FROM unnest($1::uuid[], $2::int[], $3::text[], $4::timestamptz[], $5::text[], $6::text[],
              $7::text[], $8::float8[], $9::text[], $10::text[], $11::date[], $12::text[])
       AS g (document_id, version, owner_id, accepted_at, result_key, verdict, engine,
             confidence, vendor_name, invoice_number, issue_date, currency)
  JOIN outputs o USING (document_id, version)
 ORDER BY g.document_id
    ON CONFLICT (document_id) DO UPDATE
   SET version = excluded.version,
       result_key = excluded.result_key,
       verdict = excluded.verdict,
       engine = excluded.engine,
       confidence = excluded.confidence,
       vendor_name = excluded.vendor_name,
       invoice_number = excluded.invoice_number,
       issue_date = excluded.issue_date,
       currency = excluded.currency,
       filled_at = excluded.filled_at,
       changed_at = now()
 WHERE known.version <> excluded.version OR known.filled_at IS NULL;
