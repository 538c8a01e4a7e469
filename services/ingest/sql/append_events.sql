-- Continue the timelines of documents whose rows are locked; how it goes stands at the function.
-- $1 document_ids  $2 fact_ids  $3 types  $4 bodies
SELECT append_events($1, $2, $3, $4);
