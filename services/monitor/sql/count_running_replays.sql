-- How many replays have not been heard of yet?
SELECT count(*)
  FROM replays
 WHERE state = 'running';
