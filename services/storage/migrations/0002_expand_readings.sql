-- A document may be read anew, so versions are no longer the machine's one and the person's
-- others. Each has a natural key: the result it replaces, when the machine read it; the
-- machine's version and the review's revision, when a person decided it.
ALTER TABLE stored_results
    DROP CONSTRAINT a_person_decides_every_version_after_the_first,
    ADD CONSTRAINT a_person_decides_no_first_version CHECK (version > 1 OR verdict IS NULL);

-- Numbers are given before the files are written, which carry them: of two writers one would
-- otherwise overwrite what the other has committed. A number whose result never came is a gap.
CREATE TABLE version_numbers (
    document_id     uuid NOT NULL,
    version         int  NOT NULL,
    -- The machine's version that this one rests on; its own number when it is the machine's.
    reading         int  NOT NULL,
    -- 0 is the machine's.
    review_revision int  NOT NULL DEFAULT 0,
    -- Of the machine's: the version it was ordered to replace.
    replaces        int,

    PRIMARY KEY (document_id, version),
    CONSTRAINT a_machine_s_version_rests_on_itself
        CHECK ((review_revision = 0) = (reading = version AND replaces IS NOT NULL)),
    CONSTRAINT a_decision_has_one_number UNIQUE (document_id, reading, review_revision),
    CONSTRAINT a_reading_has_one_number UNIQUE (document_id, replaces)
);

-- Which version is current is told by the reading first, then by the review's revision.
ALTER TABLE outputs
    ADD COLUMN reading int NOT NULL DEFAULT 1,
    ADD COLUMN review_revision int NOT NULL DEFAULT 0;
UPDATE outputs SET review_revision = version - 1;
