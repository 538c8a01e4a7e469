-- The name of the version table, quoted, or null before the first migration.
-- $1 schema
SELECT to_regclass(format('%I.alembic_version', $1::text))::text;
