-- Which file a document was part of, what was made of its own pages, and of a duplicate the
-- original: of its owner's documents with the same bytes that have a reading of their own the
-- one that was read last before it. What is under way again has one until it is replaced.
-- $1 document_id
SELECT (SELECT parent_id FROM document_parts WHERE document_id = $1) AS parent_id,
       coalesce((SELECT pages FROM document_parts WHERE document_id = $1), '{}') AS pages,
       ARRAY(SELECT document_id FROM document_parts
              WHERE parent_id = $1 ORDER BY position) AS children,
       (SELECT o.document_id
          FROM documents d
          JOIN documents o ON o.owner_id = d.owner_id AND o.content_key = d.content_key
         WHERE d.document_id = $1
           AND d.status = 'duplicate'
           AND o.content_key <> ''
           AND o.result_version > 0
           AND o.status NOT IN ('duplicate', 'cancelled', 'deleted')
         -- Facts of two documents come in any order: the copy's may be applied first.
         ORDER BY o.completed_at <= d.completed_at DESC NULLS LAST,
                  o.completed_at DESC NULLS LAST, o.document_id
         LIMIT 1) AS original_id;
