-- Whether an item of so large a total is in a reviewer's own hand: handed in, or written on. Where
-- two persons are asked for, it is lent to somebody else.
CREATE FUNCTION is_in_own_hand(
    item_id uuid, handed_in_by text, ranked_on jsonb, reviewer text, amount_min numeric)
RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT abs(coalesce((ranked_on ->> 'total')::numeric, 0)) >= amount_min
       AND (handed_in_by = reviewer
            OR EXISTS (
               SELECT FROM extracted_fields
                WHERE document_id = item_id
                  AND source = 'human'
                  AND locked_by = reviewer))
$$;
