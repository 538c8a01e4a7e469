-- What stands around an item, for whoever looks at it. Of its values, whose hand they are in is
-- told: in a table of rows, whoever said which rows there are.
-- $1 document_id  $2 actor  $3 undo_s
SELECT (SELECT parent_id FROM split_parts WHERE document_id = $1) AS parent_id,
       (SELECT coalesce(jsonb_agg(jsonb_build_object('document_id', document_id, 'pages', pages)
                                  ORDER BY position), '[]')
          FROM split_parts
         WHERE parent_id = $1) AS parts,
       EXISTS (SELECT FROM review_items
                WHERE document_id = $1
                  AND decided_by = $2
                  AND decided_at >= now() - make_interval(secs => $3)) AS undo_holds,
       ARRAY (SELECT locked_by
                FROM extracted_fields
               WHERE document_id = $1
                 AND source = 'human'
                 AND locked_by IS NOT NULL
               UNION
              SELECT held.locked_by
                FROM review_items item
                JOIN field_locks held USING (owner_id, sha256)
               WHERE item.document_id = $1
                 AND held.path = 'lines') AS authors;
