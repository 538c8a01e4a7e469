-- Services hold nothing of these documents any more. Their rows are locked first and in key
-- order, as those of facts are.
-- $1 document_ids  $2 services
WITH held AS (
    SELECT document_id
      FROM documents
     WHERE document_id = ANY ($1::uuid[])
     ORDER BY document_id
       FOR UPDATE)
UPDATE erasures e
   SET awaited = ARRAY(
           SELECT one
             FROM unnest(e.awaited) AS one
            WHERE one NOT IN (
                   SELECT said.service
                     FROM unnest($1::uuid[], $2::text[]) AS said(document_id, service)
                    WHERE said.document_id = e.document_id))
  FROM held h
 WHERE e.document_id = h.document_id;
