-- What people say of one group of failures.
-- $1 fingerprint
SELECT *
  FROM failure_groups
 WHERE fingerprint = $1;
