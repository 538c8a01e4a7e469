-- What follows in this transaction sees one moment. It must be the first statement of it.
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
