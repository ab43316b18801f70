"""Records of what the AWS servers of a running environment were asked for, and whose policies they enforce.

The environment has to run the servers of `MODULES`, as the one of tests/conftest.py does.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firnline_local.aws.policy import Statement, managed_documents, statements_of, statements_of_role
from firnline_local.endpoints import Server, control
from firnline_local.running import RunningEnvironment
from firnline_local.servers import ServerModules
from tests.iam.call_log import LoggedCall

MODULES = ServerModules(
    kinesis="tests.iam.kinesis", aws="tests.iam.aws", runtimes="tests.iam.runtimes", folder=Path(__file__).parents[2]
)
AWS_SERVERS: tuple[Server, ...] = ("kinesis", "aws", "runtimes")


@dataclass(frozen=True, slots=True)
class Calls:
    """In each server's order, one server after the other."""

    calls: tuple[LoggedCall, ...]
    mark: Mapping[str, int]
    """Where to go on from."""
    dropped: int
    """How many were forgotten before anybody looked: then the rest proves nothing."""

    def accesses(self, *, access_key: str | None = None) -> frozenset[tuple[str, str]]:
        """Actions with their resources, of one caller or of all."""
        return frozenset(
            (access.action, access.resource)
            for call in self.calls
            if access_key in (None, call.access_key)
            for access in call.accesses
        )


def calls_of(environment: RunningEnvironment, since: Mapping[str, int] | None = None) -> Calls:
    """The calls since the mark of an earlier answer, or since the environment began."""
    marks = since or {}
    answers = {
        server: control(environment.endpoints, server, f"calls?since={marks.get(server, 0)}") for server in AWS_SERVERS
    }
    return Calls(
        calls=tuple(LoggedCall.from_json(fields) for answer in answers.values() for fields in answer["calls"]),
        mark={server: answer["next"] for server, answer in answers.items()},
        dropped=sum(answer["dropped"] for answer in answers.values()),
    )


def enforce(environment: RunningEnvironment, access_key: str, principal: str) -> None:
    """Lets the key do only what the policies of a role or user (by ARN) allow now. Call it again when they change.

    Everybody else, and a key after `release`, may do everything.
    """
    iam, name = environment.client("iam"), principal.rpartition("/")[2]
    read = statements_of_role if ":role/" in principal else _statements_of_user
    enforce_statements(environment, access_key, principal=principal, statements=read(iam, name))


def enforce_statements(
    environment: RunningEnvironment, access_key: str, *, principal: str, statements: Iterable[Statement]
) -> None:
    """From now on calls that this key signs need these statements."""
    _send(environment, access_key, principal, list(statements))


def release(environment: RunningEnvironment, access_key: str, principal: str) -> None:
    """The key stands for the principal, and may do everything."""
    _send(environment, access_key, principal, None)


def _send(environment: RunningEnvironment, access_key: str, principal: str, statements: list[Statement] | None) -> None:
    caller = {"access_key": access_key, "principal": principal, "statements": statements}
    for server in AWS_SERVERS:
        control(environment.endpoints, server, "callers", caller)


def _statements_of_user(iam: Any, name: str) -> list[Statement]:
    """Raises the client's NoSuchEntityException."""
    documents = [
        iam.get_user_policy(UserName=name, PolicyName=policy)["PolicyDocument"]
        for policy in iam.list_user_policies(UserName=name)["PolicyNames"]
    ]
    attached = iam.list_attached_user_policies(UserName=name)["AttachedPolicies"]
    return [each for document in (*documents, *managed_documents(iam, attached)) for each in statements_of(document)]
