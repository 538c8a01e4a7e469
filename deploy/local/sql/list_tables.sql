-- Every table of ours, as a name that can stand in a statement; partitions count with their table.
SELECT format('%I.%I', n.nspname, c.relname)
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p')
   AND NOT c.relispartition
   AND n.nspname IN (SELECT schemaname FROM pg_tables WHERE tablename = 'alembic_version')
 ORDER BY 1;
