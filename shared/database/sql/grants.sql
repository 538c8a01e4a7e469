-- What a service may do in its own schema, as commands to run one after the other. Tables that
-- say 'append-only' in their comment are never updated or deleted from, whatever was granted
-- before; the version table is the migrator's alone. Whoever verifies the system reads all of
-- it. No row for a role that does not exist.
-- $1 schema  $2 role
WITH own AS (
    SELECT c.oid,
           c.relname,
           c.relkind,
           c.relname = 'alembic_version' AS is_version_table,
           coalesce(obj_description(c.oid, 'pg_class'), '') LIKE 'append-only%' AS append_only
      FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1::text
       AND c.relkind IN ('r', 'p', 'v', 'm')),
commands AS (
    SELECT 1 AS step, '' AS relname, $2::text AS grantee,
           format('GRANT USAGE ON SCHEMA %I TO %I', $1::text, $2::text) AS command
    UNION ALL
    SELECT 2, relname, $2::text,
           format('REVOKE ALL ON %I.%I FROM %I', $1::text, relname, $2::text)
      FROM own
     WHERE append_only OR is_version_table
    UNION ALL
    SELECT 3, relname, $2::text,
           format('GRANT %s ON %I.%I TO %I',
                  CASE WHEN is_version_table OR relkind IN ('v', 'm') THEN 'SELECT'
                       WHEN append_only THEN 'SELECT, INSERT'
                       ELSE 'SELECT, INSERT, UPDATE, DELETE' END,
                  $1::text, relname, $2::text)
      FROM own
    UNION ALL
    SELECT 4, '', $2::text,
           format('GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA %I TO %I', $1::text, $2::text)
    UNION ALL
    SELECT 5, '', $2::text,
           format('GRANT EXECUTE ON ALL ROUTINES IN SCHEMA %I TO %I', $1::text, $2::text)
    UNION ALL
    SELECT 6, '', 'paperline_reader',
           format('GRANT USAGE ON SCHEMA %I TO paperline_reader', $1::text)
    UNION ALL
    SELECT 7, '', 'paperline_reader',
           format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO paperline_reader', $1::text))
SELECT command
  FROM commands
 WHERE EXISTS (SELECT 1 FROM pg_roles WHERE rolname = grantee)
 ORDER BY step, relname;
