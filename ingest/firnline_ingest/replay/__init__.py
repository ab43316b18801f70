"""How dead letters come back: what they would be today, and as rows, once."""
