-- Until the commit a selection is planned for what it names: a plan for any selection reads every
-- letter that there is, and takes a list of ids apart for each.
SET LOCAL plan_cache_mode = force_custom_plan;
