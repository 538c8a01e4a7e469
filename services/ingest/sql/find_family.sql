-- Which file a document was part of, and what was made of its own pages.
-- $1 document_id
SELECT (SELECT parent_id FROM document_parts WHERE document_id = $1) AS parent_id,
       coalesce((SELECT pages FROM document_parts WHERE document_id = $1), '{}') AS pages,
       ARRAY(SELECT document_id FROM document_parts
              WHERE parent_id = $1 ORDER BY position) AS children;
