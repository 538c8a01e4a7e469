-- How a breaker stands, and nobody else moves it until we have.
-- $1 name
SELECT state, failures, probe
  FROM breakers
 WHERE name = $1
   FOR UPDATE;
