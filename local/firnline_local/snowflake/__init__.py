"""The embedded Snowflake: one account on loopback, with a SQL service and a streaming service over one catalog."""
