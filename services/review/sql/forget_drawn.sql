-- Nothing drawn of these is kept from now on: of those that no item has, or of all. The caller
-- holds their locks, and erases the objects before it commits.
-- $1 sha256s  $2 also_wanted
WITH unwanted AS (
     SELECT sha256
       FROM unnest($1::text[]) AS asked (sha256)
      WHERE $2::boolean
         OR NOT EXISTS (SELECT FROM item_pages WHERE item_pages.sha256 = asked.sha256)),
     forgotten AS (
     DELETE FROM drawn_contents
      WHERE sha256 IN (SELECT sha256 FROM unwanted))
SELECT sha256
  FROM unwanted
 ORDER BY sha256;
