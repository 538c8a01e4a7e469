-- Give items that were just opened to those who were chosen.
-- $1 document_ids  $2 reviewers
UPDATE review_items r
   SET assigned_to = chosen.reviewer
  FROM unnest($1::uuid[], $2::text[]) AS chosen (document_id, reviewer)
 WHERE r.document_id = chosen.document_id;
