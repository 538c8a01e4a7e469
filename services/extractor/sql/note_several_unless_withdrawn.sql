-- The same of several, in one order and as one round trip. Whose turn it is not just now is waited
-- for by nobody here: all the others would wait with it.
-- $1 document_ids  $2 owner_ids  $3 sightings  $4 weights
SELECT bool_and(CASE
       WHEN pg_try_advisory_xact_lock(hashtextextended('extractor.' || document_id::text, 0))
       THEN note_unless_withdrawn(document_id, owner_id, seen::jsonb,
                ARRAY(SELECT jsonb_array_elements_text(seen::jsonb -> 'identities')), weight)
       ELSE false END)
  FROM (SELECT *
          FROM unnest($1::uuid[], $2::text[], $3::text[], $4::smallint[])
               AS told (document_id, owner_id, seen, weight)
         ORDER BY document_id) AS sorted;
