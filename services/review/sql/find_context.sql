-- What stands around an item, for whoever looks at it.
-- $1 document_id  $2 actor  $3 undo_s
SELECT (SELECT parent_id FROM split_parts WHERE document_id = $1) AS parent_id,
       (SELECT coalesce(jsonb_agg(jsonb_build_object('document_id', document_id, 'pages', pages)
                                  ORDER BY position), '[]')
          FROM split_parts
         WHERE parent_id = $1) AS parts,
       EXISTS (SELECT FROM review_items
                WHERE document_id = $1
                  AND decided_by = $2
                  AND decided_at >= now() - make_interval(secs => $3)) AS undo_holds;
