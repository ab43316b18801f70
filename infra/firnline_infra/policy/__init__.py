"""Rules about what an environment may never be, as one table over the resources that it declares.

`firnline policy` asks it of a specification, without an account; a policy pack asks it of what a Pulumi program registers.
"""

from firnline_infra.policy.declared import DeclaredResource, DeclaredStack, declared_by_module
from firnline_infra.policy.rule import Breach, PolicyRule
from firnline_infra.policy.suite import POLICY, RULES, declared_by, find_breaches

__all__ = [
    "POLICY",
    "RULES",
    "Breach",
    "DeclaredResource",
    "DeclaredStack",
    "PolicyRule",
    "declared_by",
    "declared_by_module",
    "find_breaches",
]
