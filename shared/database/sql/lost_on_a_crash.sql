-- Which settings of this server would let it lose, or tear, what it has said was committed.
-- Everything here stands on a commit that outlives a power cut.
SELECT name
  FROM pg_settings
 WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')
   AND setting = 'off'
 ORDER BY name;
