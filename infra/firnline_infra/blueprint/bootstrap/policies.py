"""Splits statements over managed policies, which AWS allows 6,144 characters each, not counting white space."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from firnline_infra.blueprint.iam import PolicyStatement, policy_document

LONGEST = 6144
MOST_RESOURCES = 40  # of one statement; a longer list becomes several statements
SPARE = 300  # for references, which are longer once they are resolved


def split(statements: tuple[PolicyStatement, ...]) -> tuple[tuple[PolicyStatement, ...], ...]:
    """In order, as few policies as that allows."""
    policies: list[list[PolicyStatement]] = [[]]
    for statement in (part for each in statements for part in _parts(each)):
        if policies[-1] and length((*policies[-1], statement)) > LONGEST - SPARE:
            policies.append([])
        policies[-1].append(statement)
    return tuple(tuple(policy) for policy in policies)


def length(statements: tuple[PolicyStatement, ...]) -> int:
    return len(re.sub(r"\s", "", json.dumps(policy_document(statements))))


def _parts(statement: PolicyStatement) -> Iterator[PolicyStatement]:
    if len(statement.resources) <= MOST_RESOURCES:
        yield statement
        return
    for number, start in enumerate(range(0, len(statement.resources), MOST_RESOURCES)):
        some = statement.resources[start : start + MOST_RESOURCES]
        yield replace(statement, sid=f"{statement.sid}{number}", resources=some)
