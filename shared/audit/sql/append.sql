-- Append lines in the order given. Number, time and hash are the trigger's: whatever a writer
-- could choose, a forger could too.
-- $1 entries
INSERT INTO audit_log (entry)
SELECT line::json
  FROM unnest($1::text[]) WITH ORDINALITY AS given (line, place)
 ORDER BY place;
