-- What these documents told of their issuers is forgotten with them.
-- $1 document_ids
DELETE FROM vendor_sightings
 WHERE document_id = ANY ($1);
