"""Schema registries: Confluent's REST API and AWS Glue's, each asked once for a schema that a process needs."""

from firnline_ingest.schemas.registries import SchemaRegistries

__all__ = ["SchemaRegistries"]
