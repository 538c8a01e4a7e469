-- Ways in which the audit log could be changed: a trigger that is gone or off, a right that the
-- role of a service must not have.
-- $1 limit
WITH logs AS (
    SELECT home, to_regclass(home || '.audit_log') AS log,
           to_regclass(home || '.audit_head') AS head
      FROM (VALUES ('ingest'), ('monitor'), ('review'), ('storage')) AS s(home))
SELECT subject, detail, '' AS mark
  FROM (SELECT l.home || '.audit_log' AS subject,
               w.name || CASE WHEN t.tgname IS NULL THEN ' is not there'
                              ELSE ' is put off' END AS detail
          FROM logs l
         CROSS JOIN LATERAL (VALUES (l.log, 'a_line_is_linked'),
                                    (l.log, 'a_line_is_never_changed'),
                                    (l.head, 'the_head_is_never_removed')) AS w(home, name)
          LEFT JOIN pg_trigger t ON t.tgrelid = w.home AND t.tgname = w.name
         WHERE t.tgname IS NULL OR t.tgenabled = 'D'
         UNION ALL
        SELECT l.home || '.audit_log', r.rolname || ' may ' || p.word
          FROM logs l
         CROSS JOIN pg_roles r
         CROSS JOIN (VALUES ('UPDATE'), ('DELETE'), ('TRUNCATE')) AS p(word)
         WHERE r.rolname LIKE 'paperline\_%'
           AND NOT r.rolsuper
           AND l.log IS NOT NULL
           AND has_table_privilege(r.oid, l.log, p.word)) AS found
 ORDER BY subject, detail
 LIMIT $1;
