-- Wait for the turn to release, and see how the window stands then; nothing when nobody waits. How
-- it goes stands at the function.
-- $1 window  $2 place_s  $3 priorities
SELECT free, oldest, urgent, others, priorities FROM look_in_turn($1, $2, $3);
