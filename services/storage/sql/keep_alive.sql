-- Says that a transaction is not forgotten: the server ends those that are silent for long.
SELECT true;
