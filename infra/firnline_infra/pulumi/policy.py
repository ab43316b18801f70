"""Policies as the JSON text that AWS takes."""

import pulumi

from firnline_infra.blueprint.iam import PolicyStatement, policy_document
from firnline_infra.pulumi.references import as_input


def policy_json(statements: tuple[PolicyStatement, ...]) -> pulumi.Output[str]:
    """A statement may hold what is only known once it was made."""
    return pulumi.Output.json_dumps(policy_document(statements, resolve=as_input))
