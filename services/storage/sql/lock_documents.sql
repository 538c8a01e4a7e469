-- Results and withdrawals of one document take turns until their commit. A row cannot be what
-- they meet at: the one that matters may not exist yet. Always in the same order.
-- $1 document_ids
SELECT pg_advisory_xact_lock(hashtextextended('storage.' || document_id::text, 0))
  FROM (SELECT document_id FROM unnest($1::uuid[]) AS document_id ORDER BY document_id) AS sorted;
