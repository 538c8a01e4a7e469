-- What do people correct, and who? Per field and reviewer, of all that they looked at.
SELECT regexp_replace(field.path, '\.[0-9]+\.', '[].')      AS field,
       reviewer,
       count(*)                                             AS seen,
       count(*) FILTER (WHERE field.status = 'corrected')   AS corrected,
       round(corrected / seen, 3)                           AS share
  FROM (SELECT reviewer, unnest(fields) AS field
          FROM invoices
         WHERE reviewer IS NOT NULL)
 GROUP BY 1, reviewer
HAVING corrected > 0
 ORDER BY corrected DESC, field;
