-- Everything read from here to the end of the transaction is of one moment.
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;
