"""The engine as a Structured Streaming query: Spark plans, logs, runs and retries; the rows never cross the JVM."""
