"""Lists what moto answers beside a service's model, by operation and member: its defects, as of the version named here.

An answer that breaks its model otherwise is refused. Members that the model does not have, which every client leaves out,
are let pass where another version of moto is installed: it may have been written for a newer model than botocore's.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cache
from importlib.metadata import version
from typing import NamedTuple

from firnline_local.service_models.constraints import UNKNOWN

MOTO = "5.2.5"
"""The version that the list was made with, by the whole suite; the lock's (tests/local/service_models)."""


class Liberty(NamedTuple):
    service: str
    operation: str
    path: str
    why: str


WHOLE_SCHEDULES = "moto lists whole schedules; the service a summary of each"
LIBERTIES = (
    Liberty("secretsmanager", "ListSecrets", "SecretList.*.VersionIdsToStages", "moto's name beside the service's own"),
    Liberty("secretsmanager", "DescribeSecret", "SecretVersionsToStages", "moto's name beside the service's own"),
    Liberty("ec2", "*VpcEndpoint*", "VpcEndpoint*.State", "EC2 itself writes it in lower case, and its model does not"),
    Liberty("events", "ListRules", "Rules.*.CreatedBy", "the service has it in DescribeRule alone"),
    Liberty("kms", "ListGrants", "GrantCount", "moto's own count beside the service's Grants"),
    *(
        Liberty("scheduler", "ListSchedules", f"Schedules.*.{member}", WHOLE_SCHEDULES)
        for member in (
            "ActionAfterCompletion",
            "Description",
            "EndDate",
            "FlexibleTimeWindow",
            "KmsKeyArn",
            "ScheduleExpression",
            "ScheduleExpressionTimezone",
            "StartDate",
        )
    ),
)


def is_liberty(service: str, operation: str, problem: str) -> bool:
    path = problem.partition("'")[2].partition("'")[0]
    return any(
        each.service == service and fnmatchcase(operation, each.operation) and fnmatchcase(path, each.path)
        for each in LIBERTIES
    )


def refused_of_moto(problems: Iterable[str]) -> list[str]:
    """Returns what an answer of the installed moto is refused for."""
    return [each for each in problems if installed() == MOTO or not each.endswith(UNKNOWN)]


@cache
def installed() -> str:
    return version("moto")
