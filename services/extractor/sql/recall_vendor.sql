-- What the latest documents of this issuer were like, but for the one that is being read.
-- $1 owner_id  $2 vendor_key  $3 document_id  $4 count
SELECT seen
  FROM vendor_sightings
 WHERE owner_id = $1
   AND vendor_key = $2
   AND document_id <> $3
 ORDER BY seen_at DESC, document_id
 LIMIT $4;
