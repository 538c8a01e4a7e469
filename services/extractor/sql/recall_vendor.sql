-- For each who asks, what the documents of whoever bears one of these identities were like, but for
-- the one that is being read; of each identity the weightiest, then the latest.
-- $1 places  $2 owner_ids  $3 document_ids  $4 identities  $5 count
SELECT found.place, sightings.seen::text AS seen
  FROM (SELECT asked.place,
               bearer.document_id,
               max(bearer.weight) AS weight,
               max(bearer.seen_at) AS seen_at
          FROM unnest($1::int[], $2::text[], $3::uuid[], $4::text[])
               AS asked (place, owner_id, document_id, identity)
         CROSS JOIN LATERAL (
               SELECT known.document_id, known.weight, known.seen_at
                 FROM vendor_identities AS known
                WHERE known.owner_id = asked.owner_id
                  AND known.identity = asked.identity
                  AND known.document_id <> asked.document_id
                ORDER BY known.weight DESC, known.seen_at DESC, known.document_id
                LIMIT $5
               ) AS bearer
         GROUP BY asked.place, bearer.document_id
       ) AS found
  JOIN vendor_sightings AS sightings USING (document_id)
 ORDER BY found.place, found.weight DESC, found.seen_at DESC, document_id;
