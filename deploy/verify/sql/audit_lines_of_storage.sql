-- Every line of this audit log, oldest first, as it was hashed.
SELECT seq, previous, hash,
       convert_to(seq || '|' || to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
                  || '|' || entry::text, 'UTF8') AS text
  FROM storage.audit_log
 ORDER BY seq;
