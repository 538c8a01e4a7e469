-- Which letters speak of this? By the words of what went wrong, and by the job.
CREATE INDEX ix_dead_letters_words ON dead_letters
 USING gin (to_tsvector('simple', exception || ' ' || message));
CREATE INDEX ix_dead_letters_job ON dead_letters (job_id) WHERE job_id IS NOT NULL;
