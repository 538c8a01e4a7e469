"""Values as people and paper write them, in the one form that an invoice keeps them in."""
