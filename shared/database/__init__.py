"""PostgreSQL as every service reaches it: one pool, SQL in files, errors in our own words."""
