-- Whether any erasure is still to be reported: a glance, since mostly there is none.
SELECT EXISTS (SELECT FROM erasures);
