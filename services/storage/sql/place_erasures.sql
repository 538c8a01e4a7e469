-- Their changes are counted by now: from this revision of their days on they are gone. Returns
-- which ones that was found of, each once.
UPDATE erasures e
   SET revision = coalesce((SELECT d.revision FROM days d WHERE d.day = e.day), 0)
 WHERE e.revision IS NULL
   AND NOT EXISTS (
        SELECT
          FROM day_changes c
         WHERE c.day = e.day
           AND c.id <= e.change_id)
RETURNING e.document_id;
