"""The engine as a streaming job of EMR Serverless."""
