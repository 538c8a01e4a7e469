-- A person said another number, date or total of the same page.
-- $1 document_id  $2 number  $3 issue_date  $4 total
UPDATE sheets
   SET number = $2,
       issue_date = $3,
       total = $4
 WHERE document_id = $1;
