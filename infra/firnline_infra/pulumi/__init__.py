"""Pulumi components, thin over the blueprint, and the functions that make an environment of them.

Nothing here decides: a default, a name or a statement that is missing belongs into the blueprint, whose only renderer these
components are. They are in aws/ and snowflake/, one a file.
"""

from firnline_infra.pulumi.layers import environment
from firnline_infra.pulumi.program import aws_provider, providers, specification

__all__ = ["aws_provider", "environment", "providers", "specification"]
