-- Since when is every fact kept? Of documents before that nothing can be proved.
SELECT min(at) FROM conservation_began;
