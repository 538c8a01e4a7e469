-- What the rules say of the values as they are now; what the reader noticed stays, unless the
-- document was read anew.
-- $1 found
INSERT INTO item_findings (document_id, failed, noticed)
SELECT document_id, failed, coalesce(noticed, '[]')
  FROM jsonb_to_recordset($1::jsonb) AS found (document_id uuid, failed jsonb, noticed jsonb)
 ORDER BY document_id
    ON CONFLICT (document_id) DO UPDATE
   SET failed = excluded.failed,
       noticed = (SELECT coalesce(one.noticed, item_findings.noticed)
                    FROM jsonb_to_recordset($1::jsonb) AS one (document_id uuid, noticed jsonb)
                   WHERE one.document_id = item_findings.document_id);
