-- The manifest of a day lists what there was at this revision. What was erased can now only be
-- in a compacted file, if there is one.
-- $1 day  $2 revision  $3 compacted  $4 documents
UPDATE days
   SET manifest_revision = $2,
       manifest_compacted = $3,
       documents = $4,
       manifest_at = now(),
       erased = erased AND compacted_at IS NOT NULL
 WHERE day = $1;
