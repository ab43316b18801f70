"""Lists what moto answers beside a service's model, by service and operation, that no client of ours reads."""

from fnmatch import fnmatchcase
from typing import NamedTuple


class Liberty(NamedTuple):
    service: str
    operation: str
    path: str
    why: str


LIBERTIES = (
    Liberty("secretsmanager", "ListSecrets", "SecretList.*.VersionIdsToStages", "moto's name beside the service's own"),
    Liberty("secretsmanager", "DescribeSecret", "SecretVersionsToStages", "moto's name beside the service's own"),
    Liberty(
        "ec2", "*VpcEndpoint*", "VpcEndpoint*.State", "EC2 itself writes it in small letters, and its model does not"
    ),
)


def is_liberty(service: str, operation: str, problem: str) -> bool:
    path = problem.partition("'")[2].partition("'")[0]
    return any(
        each.service == service and fnmatchcase(operation, each.operation) and fnmatchcase(path, each.path)
        for each in LIBERTIES
    )
