-- A glance without a lock: most of the time no operation moves.
SELECT EXISTS (SELECT FROM operations WHERE state IN ('preparing', 'running'));
