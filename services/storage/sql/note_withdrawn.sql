-- Remember that nobody wants these any more: their orders may still arrive, or arrive again.
-- $1 document_ids  $2 reason
INSERT INTO withdrawn (document_id, reason)
SELECT document_id, $2
  FROM unnest($1::uuid[]) AS given (document_id)
    ON CONFLICT (document_id) DO NOTHING;
