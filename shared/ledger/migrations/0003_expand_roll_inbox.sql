-- As before, and a day takes over those of its ids that are there already. PostgreSQL makes no
-- partition while the default one holds a row of it, and this function would have failed for
-- ever: with an id that somebody else made up, or with what was taken after a rest of a week.
DO $install$
BEGIN
    EXECUTE format($function$
        CREATE OR REPLACE FUNCTION roll_inbox(days_ahead integer, days_kept integer) RETURNS integer
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = %1$I, pg_temp SET timezone = 'UTC'
        AS $$
        DECLARE
            day     date;
            old     text;
            strays  inbox_elsewhere[];
            changed integer := 0;
        BEGIN
            -- One at a time; whoever comes second finds everything done.
            PERFORM pg_advisory_xact_lock(hashtext('roll_inbox'), hashtext(%1$L));
            FOR day IN SELECT generate_series(
                current_date - 1, current_date + days_ahead, interval '1 day')::date
            LOOP
                CONTINUE WHEN to_regclass('%1$I.inbox_' || to_char(day, 'YYYYMMDD')) IS NOT NULL;
                -- A day is not made while one of its ids lies elsewhere: made elsewhere, or taken
                -- when nobody had made the day. Nobody writes another until it has moved.
                LOCK TABLE inbox IN ACCESS EXCLUSIVE MODE;
                strays := ARRAY(SELECT one FROM inbox_elsewhere AS one
                                 WHERE job_id >= first_id_of(day)
                                   AND job_id < first_id_of(day + 1));
                DELETE FROM inbox_elsewhere
                 WHERE job_id >= first_id_of(day) AND job_id < first_id_of(day + 1);
                EXECUTE format(
                    'CREATE TABLE inbox_%%s PARTITION OF inbox FOR VALUES FROM (%%L) TO (%%L)',
                    to_char(day, 'YYYYMMDD'), first_id_of(day), first_id_of(day + 1));
                INSERT INTO inbox SELECT * FROM unnest(strays);
                changed := changed + 1;
            END LOOP;
            FOR old IN SELECT c.relname
                         FROM pg_inherits i
                         JOIN pg_class c ON c.oid = i.inhrelid
                        WHERE i.inhparent = 'inbox'::regclass
                          AND c.relname ~ '^inbox_[0-9]{8}$'
                          AND to_date(right(c.relname, 8), 'YYYYMMDD') < current_date - days_kept
            LOOP
                EXECUTE format('DROP TABLE %%I', old);
                changed := changed + 1;
            END LOOP;
            DELETE FROM inbox_elsewhere WHERE at < now() - make_interval(days => days_kept);
            DELETE FROM starts WHERE at < now() - make_interval(days => days_kept);
            RETURN changed;
        END
        $$
    $function$, current_schema());
END
$install$;

-- It may have failed for days.
SELECT roll_inbox(7, 45);
