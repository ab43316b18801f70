"""The reference that a person or an editor reads about a document, made from its models: the JSON Schema and the page."""

from firnline_infra.specification.reference.json_schema import json_schema
from firnline_infra.specification.reference.page import page

__all__ = ["json_schema", "page"]
