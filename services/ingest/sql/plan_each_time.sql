-- A plan for all questions at once would serve none of them. For this transaction only.
SET LOCAL plan_cache_mode = force_custom_plan;
