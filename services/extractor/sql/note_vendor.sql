-- What this document tells of its issuer. Read anew, it tells it anew.
-- $1 document_id  $2 owner_id  $3 vendor_key  $4 seen
INSERT INTO vendor_sightings (document_id, owner_id, vendor_key, seen)
VALUES ($1, $2, $3, $4)
    ON CONFLICT (document_id) DO UPDATE
   SET vendor_key = excluded.vendor_key,
       seen = excluded.seen;
