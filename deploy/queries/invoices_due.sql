-- What has to be paid, and when? Without a date that is due, the agreed days from the date of
-- issue; without those, the date of issue. What is to be paid is what is left of the total;
-- a credit note asks for nothing.
SELECT coalesce(due_date,
                issue_date + coalesce(payment_net_days, 0)) AS due,
       seller_name,
       invoice_number,
       coalesce(amount_due, total)                          AS to_pay,
       currency,
       payment_accounts_0_iban                              AS iban,
       verdict,
       document_id
  FROM invoices
 WHERE verdict IS DISTINCT FROM 'rejected'
   AND direction > 0
   AND coalesce(amount_due, total) > 0
 ORDER BY due NULLS LAST, to_pay DESC;
