"""The protocol of the Snowflake drivers: login, sessions, queries."""
