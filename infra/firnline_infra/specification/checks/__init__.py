"""Checks across the parts of a specification, and against the services; each part alone is checked by its model.

Every check is a generator of sentences, each beginning with a path in the document. None raises, so that all problems
are reported at once.
"""

from collections.abc import Iterator

from firnline_infra.specification.checks import (
    adopted,
    aws,
    columns,
    dead_letters,
    elsewhere,
    kubernetes,
    latest,
    metadata,
    paths,
    pipelines,
    pipes,
    redshift,
    regions,
    routes,
    runtime,
    snowflake,
    statements,
)
from firnline_infra.specification.model import EnvironmentSpec

CHECKS = (
    *pipelines.CHECKS,
    *pipes.CHECKS,
    *routes.CHECKS,
    *snowflake.CHECKS,
    *adopted.CHECKS,
    *columns.CHECKS,
    *latest.CHECKS,
    *metadata.CHECKS,
    *paths.CHECKS,
    *aws.CHECKS,
    *regions.CHECKS,
    *dead_letters.CHECKS,
    *runtime.CHECKS,
    *kubernetes.CHECKS,
    *elsewhere.CHECKS,
    *redshift.CHECKS,
    *statements.CHECKS,
)


def problems(spec: EnvironmentSpec) -> Iterator[str]:
    """Each once: what several tables take from their pipeline is one problem."""
    yield from dict.fromkeys(problem for check in CHECKS for problem in check(spec))
