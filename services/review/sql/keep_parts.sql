-- What is made of a file's pages, in the order in which a person named it.
-- $1 parent_id  $2 document_ids  $3 pages, as JSON
INSERT INTO split_parts (document_id, parent_id, position, pages)
SELECT document_id, $1, place,
       ARRAY(SELECT page::integer FROM jsonb_array_elements_text(pages::jsonb) AS page)
  FROM unnest($2::uuid[], $3::text[]) WITH ORDINALITY AS given (document_id, pages, place);
