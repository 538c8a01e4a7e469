-- Letters and the deletion of one document take turns until their commit. A row cannot be what
-- they meet at: of a letter that is only arriving there is none. Always in the same order.
-- $1 document_ids
SELECT pg_advisory_xact_lock(hashtextextended('monitor.' || document_id::text, 0))
  FROM (SELECT document_id FROM unnest($1::uuid[]) AS document_id ORDER BY document_id) AS sorted;
