"""What a person has chosen: roles, levels, hierarchies edited by hand, and the way back and forth."""
