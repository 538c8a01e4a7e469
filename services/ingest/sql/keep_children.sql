-- Which documents are made of a document's pages. Told are those that are new; what is known
-- already was made in the same commit as its row.
-- $1 parent_id  $2 document_ids  $3 positions  $4 pages, as JSON
INSERT INTO document_parts (document_id, parent_id, position, pages)
SELECT document_id, $1, position,
       ARRAY(SELECT page::integer FROM jsonb_array_elements_text(pages::jsonb) AS page)
  FROM unnest($2::uuid[], $3::integer[], $4::text[]) AS given (document_id, position, pages)
 ORDER BY document_id
    ON CONFLICT (document_id) DO NOTHING
RETURNING document_id;
