-- What a person says of a value, kept so that no machine takes it back.
ALTER TABLE extracted_fields
    -- What else a value may be, the best first.
    ADD COLUMN alternatives jsonb NOT NULL DEFAULT '[]',
    -- What was read, where a person's value stands now.
    ADD COLUMN machine jsonb,
    -- Whose word it is: no machine writes over it.
    ADD COLUMN locked_by text;

-- What a person said about a content of an owner. It outlives readings, and other documents of
-- the same bytes inherit it; it goes with the last of them. `lines` stands for which rows there
-- are: with it, no machine adds one.
CREATE TABLE field_locks (
    owner_id   text NOT NULL,
    sha256     text NOT NULL,
    path       text NOT NULL,
    value      text,
    raw        text,
    confidence double precision NOT NULL,
    status     text NOT NULL,
    source     text,
    evidence   jsonb NOT NULL DEFAULT '[]',
    locked_by  text NOT NULL,
    locked_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner_id, sha256, path)
);

CREATE INDEX ix_review_items_content
    ON review_items (owner_id, sha256);

-- What each version of an item changed, for whoever looked at an earlier one.
CREATE TABLE field_edits (
    document_id  uuid NOT NULL REFERENCES review_items ON DELETE CASCADE,
    version      integer NOT NULL,
    actor        text NOT NULL,
    at           timestamptz NOT NULL DEFAULT now(),
    -- Of each path its value before and after.
    changes      jsonb NOT NULL,
    PRIMARY KEY (document_id, version)
);

CREATE TABLE item_findings (
    document_id  uuid PRIMARY KEY REFERENCES review_items ON DELETE CASCADE,
    -- What the reader noticed, which no rule over the values can find again.
    noticed      jsonb NOT NULL DEFAULT '[]',
    -- What the rules say of the values as they are now.
    failed       jsonb NOT NULL DEFAULT '[]'
);

-- By what an invoice is recognised when it comes again. A seller has several names: his VAT id,
-- an account, a folded name; each is a row.
CREATE TABLE invoice_keys (
    document_id  uuid NOT NULL REFERENCES review_items ON DELETE CASCADE,
    owner_id     text NOT NULL,
    seller_key   text NOT NULL,
    number_key   text NOT NULL,
    -- The same with letters and digits that look alike as one.
    alike_key    text NOT NULL,
    year         integer,
    total        numeric,
    currency     text,
    invoice_number text NOT NULL,
    issue_date   text,
    PRIMARY KEY (document_id, seller_key)
);

CREATE INDEX ix_invoice_keys_number
    ON invoice_keys (owner_id, seller_key, alike_key, year);
CREATE INDEX ix_invoice_keys_total
    ON invoice_keys (owner_id, seller_key, total, year);

-- A person is who a transaction says it acts for. What has no person behind it, whatever its
-- role, leaves a value alone that a person locked; it may write down again what the lock says.
CREATE FUNCTION acts_for_a_person() RETURNS boolean
LANGUAGE sql STABLE
AS $$ SELECT coalesce(current_setting('paperline.actor', true), '') <> '' $$;

CREATE FUNCTION keep_locked_field() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    held field_locks;
BEGIN
    IF acts_for_a_person() THEN
        RETURN coalesce(NEW, OLD);
    END IF;
    SELECT l.*
      INTO held
      FROM review_items item
      JOIN field_locks l USING (owner_id, sha256)
     WHERE item.document_id = OLD.document_id
       AND l.path = OLD.path;
    IF NOT FOUND THEN
        -- Its item is being erased, or a person has taken the lock away.
        RETURN coalesce(NEW, OLD);
    END IF;
    IF TG_OP = 'UPDATE'
       AND (NEW.document_id, NEW.path) = (OLD.document_id, OLD.path)
       AND (NEW.value, NEW.status, NEW.locked_by)
           IS NOT DISTINCT FROM (held.value, held.status, held.locked_by) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'field % of % is locked by %', OLD.path, OLD.document_id, held.locked_by
          USING ERRCODE = 'integrity_constraint_violation',
                CONSTRAINT = 'a_locked_field_is_a_persons';
END;
$$;

CREATE TRIGGER a_locked_field_is_a_persons
    BEFORE UPDATE OR DELETE ON extracted_fields
    FOR EACH ROW WHEN (OLD.locked_by IS NOT NULL)
    EXECUTE FUNCTION keep_locked_field();

-- Nor does a machine get past a lock with a row of its own: for a document that comes again,
-- or for a value that a person took away.
CREATE FUNCTION keep_inherited_fields() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    found_one record;
BEGIN
    IF acts_for_a_person() THEN
        RETURN NULL;
    END IF;
    SELECT added.path, added.document_id, held.locked_by
      INTO found_one
      FROM added
      JOIN review_items item USING (document_id)
      JOIN field_locks held USING (owner_id, sha256, path)
     WHERE (added.value, added.status, added.locked_by)
           IS DISTINCT FROM (held.value, held.status, held.locked_by)
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'field % of % is locked by %',
              found_one.path, found_one.document_id, found_one.locked_by
              USING ERRCODE = 'integrity_constraint_violation',
                    CONSTRAINT = 'a_locked_field_is_a_persons';
    END IF;
    RETURN NULL;
END;
$$;

CREATE TRIGGER an_inherited_field_is_a_persons
    AFTER INSERT ON extracted_fields
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT
    EXECUTE FUNCTION keep_inherited_fields();

-- The locks themselves go with the last document of their content, and not before.
CREATE FUNCTION keep_field_lock() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF acts_for_a_person() THEN
        RETURN coalesce(NEW, OLD);
    END IF;
    IF TG_OP = 'DELETE' AND NOT EXISTS (
            SELECT FROM review_items
             WHERE owner_id = OLD.owner_id AND sha256 = OLD.sha256) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the lock of % is held by %', OLD.path, OLD.locked_by
          USING ERRCODE = 'integrity_constraint_violation',
                CONSTRAINT = 'a_locked_field_is_a_persons';
END;
$$;

CREATE TRIGGER a_field_lock_is_a_persons
    BEFORE UPDATE OR DELETE ON field_locks
    FOR EACH ROW
    EXECUTE FUNCTION keep_field_lock();

-- Whatever the caller's search path says, and whatever temporary tables it has made.
DO $do$
BEGIN
    EXECUTE format('ALTER FUNCTION keep_locked_field() SET search_path = %1$I, pg_temp',
                   current_schema());
    EXECUTE format('ALTER FUNCTION keep_inherited_fields() SET search_path = %1$I, pg_temp',
                   current_schema());
    EXECUTE format('ALTER FUNCTION keep_field_lock() SET search_path = %1$I, pg_temp',
                   current_schema());
END;
$do$;
