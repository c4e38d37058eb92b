"""Record linkage: released records matched with original ones by distance, by intervals and by agreement."""
