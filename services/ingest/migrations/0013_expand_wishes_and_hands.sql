-- What people say of a document's way: by which engine it is to be read anew, and that somebody
-- has its item in hand.
ALTER TABLE documents
    -- Of the present run; the usual engines without one.
    ADD COLUMN wanted_engine text,
    -- How often its item had changed hands when the review status was told: of two that say so
    -- between the same decisions the later one counts.
    ADD COLUMN review_turn integer NOT NULL DEFAULT 0;
