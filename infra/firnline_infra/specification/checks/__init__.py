"""What the parts of a specification owe to one another, and to the services; each part alone is checked by its model.

Every check is a generator of sentences, each beginning with a path in the document. None raises, so that all problems
are told at once.
"""

from collections.abc import Iterator

from firnline_infra.specification.checks import (
    adoption,
    arns,
    names,
    repetition,
    snowflake,
    streams,
    tables,
    tags,
    users,
)
from firnline_infra.specification.model import EnvironmentSpec

CHECKS = (
    *streams.CHECKS,
    *tables.CHECKS,
    *snowflake.CHECKS,
    *users.CHECKS,
    *adoption.CHECKS,
    *arns.CHECKS,
    *names.CHECKS,
    *tags.CHECKS,
    *repetition.CHECKS,
)


def problems(spec: EnvironmentSpec) -> Iterator[str]:
    for check in CHECKS:
        yield from check(spec)
