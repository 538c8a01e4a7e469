-- Its turn, the look whether it is withdrawn, and what it tells of its issuer, as one round trip.
-- $1 document_id  $2 owner_id  $3 seen  $4 identities  $5 weight
SELECT note_unless_withdrawn($1, $2, $3, $4, $5);
