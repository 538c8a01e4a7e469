-- Who sent which letter back, and why. The run is the one after the letter's own.
-- $1 replay_id  $2 letter_id  $3 queue  $4 job_id  $5 run  $6 requested_by  $7 reason
INSERT INTO replays (replay_id, letter_id, queue, job_id, run, requested_by, reason)
VALUES ($1, $2, $3, $4, $5, $6, $7)
RETURNING *;
