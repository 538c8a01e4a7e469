-- The moment of the call, not of the transaction: now() would stand still inside one.
SELECT clock_timestamp();
