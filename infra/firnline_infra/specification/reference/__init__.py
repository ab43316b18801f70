"""What a person or an editor reads about a document, made from its models: the JSON Schema and the pages."""

from firnline_infra.specification.reference.json_schema import json_schema
from firnline_infra.specification.reference.page import engine_page, page

__all__ = ["engine_page", "json_schema", "page"]
