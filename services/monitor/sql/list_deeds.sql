-- What people did about these, in order. A look is a deed too.
-- $1 resources  $2 limit
SELECT at, actor, action, resource
  FROM audit_log
 WHERE resource = ANY ($1::text[])
 ORDER BY seq
 LIMIT $2;
