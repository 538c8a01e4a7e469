-- Triggers that keep persons' values and the audit log, and that somebody has removed or put off.
-- $1 limit
SELECT w.home || '.' || w.name AS subject,
       CASE WHEN t.tgname IS NULL THEN 'is not there' ELSE 'is put off' END AS detail,
       '' AS mark
  FROM (VALUES ('review.extracted_fields', 'a_locked_field_is_a_persons'),
               ('review.extracted_fields', 'an_inherited_field_is_a_persons'),
               ('review.field_locks', 'a_field_lock_is_a_persons')) AS w(home, name)
  LEFT JOIN pg_trigger t
    ON t.tgrelid = to_regclass(w.home)
   AND t.tgname = w.name
 WHERE t.tgname IS NULL
    OR t.tgenabled = 'D'
 ORDER BY subject
 LIMIT $1;
