"""A Snowflake that takes every row at once and keeps none: it counts them, and commits what it counted."""
