-- Move documents by what a batch of facts says, and tell it in their timelines; how it goes stands
-- at the function.
-- $1 document_ids  $2 status  $3 position_run  $4 rank  $5 told_run  $6 told_rank
-- $7 told_fact_id  $8 stage  $9 waiting_for  $10 next_attempt_at  $11 error_message
-- $12 effort_run  $13 attempts  $14 progress  $15 reading_run  $16 stored  $17 engine
-- $18 confidence  $19 result_version  $20 result_key  $21 vendor_name  $22 invoice_number
-- $23 invoice_date  $24 total  $25 currency  $26 review_status  $27 review_rank
-- $28 review_fact_id  $29 review_version  $30 position_version  $31 review_turn
-- $32 told_of  $33 fact_ids  $34 types  $35 bodies
SELECT moved_id, moved_status, has_ended, has_lasted_s
  FROM apply_changes($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                     $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32,
                     $33, $34, $35);
