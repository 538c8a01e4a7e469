-- All of taking documents in, but for what is sent of it, is one round trip; how it goes stands
-- at the function.
-- $1 content_keys  $2 wants_turn  $3 places_max  $4 place_s
-- $5 new_ids  $6 new_owners  $7 new_priorities  $8 new_ats  $9 new_traceparents  $10 new_ready
-- $11 document_ids  $12 accepted_ids  $13 accepted_ats  $14 owner_ids  $15 priorities
-- $16 filenames  $17 media_types  $18 sha256s  $19 sizes_bytes  $20 document_keys
-- $21 event_bodies  $22 tags_of, as JSON  $23 metadata_of  $24 due_ats
SELECT let_in, revived
  FROM take_in($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
               $19, $20, $21, $22, $23, $24);
