-- What the documents of whoever bears one of these identities were like, but for the one that
-- is being read; of each identity the weightiest, then the latest.
-- $1 owner_id  $2 identities  $3 document_id  $4 count
SELECT sightings.seen::text AS seen
  FROM (SELECT bearer.document_id,
               max(bearer.weight) AS weight,
               max(bearer.seen_at) AS seen_at
          FROM unnest($2::text[]) AS asked (identity)
         CROSS JOIN LATERAL (
               SELECT known.document_id, known.weight, known.seen_at
                 FROM vendor_identities AS known
                WHERE known.owner_id = $1
                  AND known.identity = asked.identity
                  AND known.document_id <> $3
                ORDER BY known.weight DESC, known.seen_at DESC, known.document_id
                LIMIT $4
               ) AS bearer
         GROUP BY bearer.document_id
       ) AS found
  JOIN vendor_sightings AS sightings USING (document_id)
 ORDER BY found.weight DESC, found.seen_at DESC, document_id;
