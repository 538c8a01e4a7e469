-- Of these files those whose version has no row: written by somebody who died, or who is about
-- to commit. Under a dated path, told by version 0, those whose document shows nothing. Seen
-- before, they keep the moment when that was.
-- $1 keys  $2 document_ids  $3 versions
INSERT INTO strays (key, document_id, version)
SELECT key, document_id, version
  FROM unnest($1::text[], $2::uuid[], $3::int[]) AS given (key, document_id, version)
 WHERE NOT EXISTS (
           SELECT
             FROM stored_results s
            WHERE s.document_id = given.document_id
              AND s.version = given.version)
   AND NOT EXISTS (
           SELECT
             FROM outputs o
            WHERE o.document_id = given.document_id
              AND given.version = 0)
    ON CONFLICT (key) DO NOTHING;
