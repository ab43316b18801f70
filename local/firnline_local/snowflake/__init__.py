"""The embedded Snowflake: one account on loopback, with a SQL face and a streaming face over one catalog."""
