-- Whoever keeps something of a document and whoever withdraws it take turns until their commit: a
-- look alone would miss a withdrawal that is at work, and has erased already. Always in the same
-- order.
-- $1 document_ids
SELECT pg_advisory_xact_lock(hashtextextended('extractor.' || document_id::text, 0))
  FROM (SELECT document_id FROM unnest($1::uuid[]) AS document_id ORDER BY document_id) AS sorted;
