"""SHOW: listings as data, and the few that are more than a list of objects."""
