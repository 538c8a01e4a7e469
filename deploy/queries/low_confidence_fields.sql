-- Which fields is the machine least sure of, how often, and which rules do they fail? The
-- members of a list count together: `lines.3.net_amount` is `lines[].net_amount`. What a person
-- has confirmed counts as sure as the machine was of it.
SELECT regexp_replace(field.path, '\.[0-9]+\.', '[].')               AS field,
       count(*)                                                      AS values_read,
       count(*) FILTER (WHERE field.confidence < 0.85)               AS doubtful,
       round(avg(field.confidence), 3)                               AS confidence,
       list_sort(list_distinct(flatten(list(
           list_transform(list_filter(field.rules, lambda one: one.result = 'failed'),
                          lambda one: one.rule)))))                  AS rules_failed,
       arg_min(document_id, field.confidence)                        AS least_sure_in
  FROM (SELECT document_id, unnest(fields) AS field
          FROM invoices)
 WHERE field.status IN ('extracted', 'computed', 'confirmed')
 GROUP BY 1
HAVING doubtful > 0
 ORDER BY doubtful DESC, field;
