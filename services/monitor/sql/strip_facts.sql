-- Of a deleted document nothing is kept but that it went its way.
-- $1 document_ids
UPDATE document_facts
   SET detail = '{}'
 WHERE document_id = ANY ($1::uuid[])
   AND detail <> '{}';
