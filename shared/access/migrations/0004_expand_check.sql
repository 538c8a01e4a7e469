-- Ingest keeps this schema beside its own, and asks as itself whether it is as it should be.
DO $$
BEGIN
    IF to_regclass('access.alembic_version') IS NOT NULL
       AND EXISTS (SELECT FROM pg_roles WHERE rolname = 'paperline_ingest') THEN
        GRANT SELECT ON access.alembic_version TO paperline_ingest;
    END IF;
END
$$;
