-- The question for the applied heads of one schema; its name cannot be a parameter.
-- $1 schema
SELECT format('SELECT version_num FROM %I.alembic_version ORDER BY 1', $1::text);
