"""Rows that go to Snowflake in files: staged, loaded by a pipe, and proven by what the pipe says that it loaded."""
