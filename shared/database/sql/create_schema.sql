-- The command that makes a service's schema. Identifiers cannot be parameters, so the server
-- itself quotes the name; no row when the schema is there, for which no right is needed then.
-- $1 schema
SELECT format('CREATE SCHEMA IF NOT EXISTS %I', $1::text)
 WHERE NOT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1::text);
