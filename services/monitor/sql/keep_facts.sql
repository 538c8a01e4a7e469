-- Where documents stand and what was told of them, as far as it is news; how it goes stands at
-- the function.
-- $1 seen_ids  $2 owner_ids  $3 accepted_ats  $4 statuses  $5 runs  $6 ranks  $7 priorities
-- $8 ended_ats  $9 told_ids  $10 fact_ids  $11 types  $12 fact_runs  $13 said_ats
-- $14 trace_ids  $15 cause_ids  $16 details, as JSON
SELECT moved
  FROM keep_facts($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);
