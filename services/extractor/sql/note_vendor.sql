-- What this document tells of its issuer, by whatever name. Read anew, it tells it anew; what a
-- person decided gives way to a later decision only.
-- $1 document_id  $2 owner_id  $3 seen  $4 identities  $5 weight  $6 decided_version
WITH noted AS (
    INSERT INTO vendor_sightings AS known (document_id, owner_id, seen, decided_version)
    VALUES ($1, $2, $3, $6)
        ON CONFLICT (document_id) DO UPDATE
       SET seen = excluded.seen,
           decided_version = excluded.decided_version
     WHERE known.decided_version = 0
        OR known.decided_version < excluded.decided_version
    RETURNING document_id, owner_id, seen_at
), gone AS (
    DELETE FROM vendor_identities AS before
     USING noted
     WHERE before.document_id = noted.document_id
       AND before.identity <> ALL ($4::text[])
)
INSERT INTO vendor_identities (document_id, identity, owner_id, weight, seen_at)
SELECT noted.document_id, identity, noted.owner_id, $5, noted.seen_at
  FROM noted, unnest($4::text[]) AS identity
    ON CONFLICT (document_id, identity) DO UPDATE
   SET weight = excluded.weight;
