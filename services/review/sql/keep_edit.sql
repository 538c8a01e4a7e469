-- What a version changed, for whoever looked at an earlier one.
-- $1 document_id  $2 version  $3 actor  $4 changes
INSERT INTO field_edits (document_id, version, actor, changes)
VALUES ($1, $2, $3, $4::jsonb)
    ON CONFLICT (document_id, version) DO NOTHING;
