-- Whose obituary a letter was that is gone: else any letter that goes would seem to be the one
-- that a job lacks. Nothing of what its document said; unknown of those that went before.
ALTER TABLE letters_purged
    ADD COLUMN origin_queue text,
    ADD COLUMN job_id uuid,
    ADD COLUMN run integer;
