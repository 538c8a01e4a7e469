-- A glance without a turn: whether a change is not counted yet, or a manifest does not say what
-- there is. Mostly neither.
SELECT EXISTS (SELECT FROM day_changes)
    OR EXISTS (SELECT
                 FROM days
                WHERE manifest_revision <> revision
                   OR manifest_compacted
                      <> coalesce(compacted_revision = revision AND compacted_rows > 0, false));
