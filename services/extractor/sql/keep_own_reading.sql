-- Keep a reading until its document has been through. The same content read again is the same
-- reading; it then belongs to whoever waits now.
-- $1 owner_id  $2 sha256  $3 config  $4 document_id  $5 reading
INSERT INTO own_readings (owner_id, sha256, config, document_id, reading)
VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (owner_id, sha256, config) DO UPDATE
   SET document_id = excluded.document_id,
       reading = excluded.reading,
       kept_at = now();
