"""Splits statements over managed policies."""

from collections.abc import Iterator
from dataclasses import replace

from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.length import MANAGED, policy_length

MOST_RESOURCES = 40  # of one statement; a longer list becomes several statements


def split(statements: tuple[PolicyStatement, ...]) -> tuple[tuple[PolicyStatement, ...], ...]:
    """In order, as few policies as that allows."""
    policies: list[list[PolicyStatement]] = [[]]
    for statement in (part for each in statements for part in _parts(each)):
        if policies[-1] and policy_length((*policies[-1], statement)) > MANAGED:
            policies.append([])
        policies[-1].append(statement)
    return tuple(tuple(policy) for policy in policies)


def _parts(statement: PolicyStatement) -> Iterator[PolicyStatement]:
    if len(statement.resources) <= MOST_RESOURCES:
        yield statement
        return
    for number, start in enumerate(range(0, len(statement.resources), MOST_RESOURCES)):
        some = statement.resources[start : start + MOST_RESOURCES]
        yield replace(statement, sid=f"{statement.sid}{number}", resources=some)
