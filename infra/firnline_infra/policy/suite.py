"""Every rule, and what they find in an environment: the specification's own module, or what a Pulumi program registers."""

import json
from collections.abc import Iterator

from firnline_infra.policy import access, snowflake, storage
from firnline_infra.policy.declared import DeclaredStack, declared_by_module
from firnline_infra.policy.rule import PolicyRule
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.terraform import module_files
from firnline_ingest.checks import Cause, Finding, Rule, Suite, Verdict

RULES: tuple[PolicyRule, ...] = (*access.RULES, *storage.RULES, *snowflake.RULES)
POLICY = Suite(
    name="policy",
    rules={each.id: Rule(each.text, is_security=True) for each in RULES},
    first=Verdict.WRONG,
    lists_good=False,
    noun="violation",
)


def declared_by(spec: EnvironmentSpec, *, must_protect: bool = False) -> DeclaredStack:
    """Returns what `firnline terraform` writes, and Pulumi registers."""
    return declared_by_module(json.loads(module_files(spec)["main.tf.json"]), must_protect=must_protect)


def find_breaches(stack: DeclaredStack) -> Iterator[Finding]:
    for rule in RULES:
        for resource, breach in rule.breaches(stack):
            yield Finding(
                kind=resource.type.replace("_", " "),
                name=resource.name,
                path=breach.path,
                expected=breach.expected,
                found=breach.found,
                rule=rule.id,
                cause=Cause.RULE,
                next_step=rule.next_step,
            )
