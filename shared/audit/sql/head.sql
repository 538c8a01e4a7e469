-- The newest link. Without it, lines cut off the end would be missed by nobody.
SELECT seq, hash
  FROM audit_head;
