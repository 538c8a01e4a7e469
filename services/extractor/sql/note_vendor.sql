-- What this document tells of its issuer, by whatever name; how it is kept stands at the function.
-- $1 document_id  $2 owner_id  $3 seen  $4 identities  $5 weight  $6 decided_version
SELECT note_vendor($1, $2, $3, $4, $5, $6);
