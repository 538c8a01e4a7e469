-- Whoever gives positions holds the head until the commit: so they become visible in their
-- order, and behind a position that was seen nothing appears later. A statement of its own,
-- because the one that numbers must not look before the lock is held.
SELECT position
  FROM approvals_head
   FOR UPDATE;
