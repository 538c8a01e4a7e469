-- It is the item's from now on, or lies nowhere any more.
-- $1 reviewed_key
DELETE FROM reviewed_drafts
 WHERE reviewed_key = $1;
