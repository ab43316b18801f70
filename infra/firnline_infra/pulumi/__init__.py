"""Pulumi components, and the functions that make an environment of them.

What is listed here, and in `firnline_infra.pulumi.aws` and `firnline_infra.pulumi.snowflake`, is promised: it changes with a
version only, and so do the types and the names of the resources that it makes.

Nothing here decides: a default, a name or a statement that is missing belongs into the blueprint, and an argument of a
resource into its row (`firnline_infra.kinds`). Components for a program of one's own are in aws/ and snowflake/, one file a
family.
"""

from firnline_infra.pulumi.layers import environment, foundation, runtime, warehouse
from firnline_infra.pulumi.program import aws_provider, providers, specification
from firnline_infra.pulumi.references import as_output, either, from_stacks, resolved

__all__ = [
    "as_output",
    "aws_provider",
    "either",
    "environment",
    "foundation",
    "from_stacks",
    "providers",
    "resolved",
    "runtime",
    "specification",
    "warehouse",
]
