"""An application of EMR Serverless that is started: AWS neither changes nor deletes one, and the provider does not stop it.

So it is looked at before anything is changed. One without a job is stopped here; where a job runs, that is said, with what
would be changed, and nothing happens: `firnline stop` ends an engine without losing a row, this must not.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.accounts.aws import aws_call, if_there
from firnline_infra.kinds.emr import SERVERLESS
from firnline_infra.kinds.resource import Resource
from firnline_infra.observe.existing import StackResources
from firnline_infra.stack.errors import ApplicationInUse

STARTED = ("STARTING", "STARTED", "STOPPING")
ACTIVE = ["SUBMITTED", "QUEUED", "PENDING", "SCHEDULED", "RUNNING", "CANCELLING"]
LOOK_EVERY_S, STOPPED_WITHIN_S = 2.0, 300.0


Wanted = Resource | None
"""Its row; None before a destroy."""


def check_application(wanted: Wanted, accounts: Accounts, known: StackResources, *, environment: str) -> Sequence[str]:
    """Returns what would be changed of a started application; empty if it needs no stop. Raises ApplicationInUse, AwsRefused."""
    id_ = known.id_of(SERVERLESS.token)
    found = _application(accounts, id_) if id_ else None
    if id_ is None or found is None or found["state"] not in STARTED:
        return ()
    differing = ["it goes"] if wanted is None else list(_differing(wanted, found))
    if not differing:
        return ()
    with aws_call("emr-serverless:ListJobRuns", id_):
        runs = accounts.aws("emr-serverless").list_job_runs(applicationId=id_, states=ACTIVE)["jobRuns"]
    if runs:
        raise ApplicationInUse(id_, differing, [run["id"] for run in runs], environment=environment)
    return differing


def make_changeable(
    wanted: Wanted, accounts: Accounts, known: StackResources, *, say: Callable[[str], None], environment: str
) -> None:
    """Stops an application that has no job and would be changed. Raises ApplicationInUse, AwsRefused."""
    id_ = known.id_of(SERVERLESS.token)
    differing = check_application(wanted, accounts, known, environment=environment)
    if id_ is not None and differing:
        say(f"Application {id_} has no job, and is stopped so that AWS lets it be changed: {', '.join(differing)}.")
        _stop(accounts.aws("emr-serverless"), id_)


def _application(accounts: Accounts, id_: str) -> Mapping[str, Any] | None:
    ask = accounts.aws("emr-serverless").get_application
    answer: Any = if_there("emr-serverless:GetApplication", id_, ask, applicationId=id_)
    return None if answer is None else answer["application"]


def _differing(wanted: Resource, found: Mapping[str, Any]) -> Iterator[str]:
    """Yields what an update would send otherwise than it is; groups that are made with the stack are not known here."""
    row, network = wanted.arguments, found.get("networkConfiguration") or {}
    asked_network, asked_capacity = row["network_configuration"], row["maximum_capacity"]
    capacity, scheduler = found.get("maximumCapacity") or {}, found.get("schedulerConfiguration") or {}
    groups = [group for group in asked_network["security_group_ids"] if isinstance(group, str)]
    idle = (found.get("autoStopConfiguration") or {}).get("idleTimeoutMinutes")
    for what, asked, there in (
        ("release", row["release_label"], found["releaseLabel"]),
        ("architecture", row["architecture"], found.get("architecture")),
        ("subnets", sorted(asked_network["subnet_ids"]), sorted(network.get("subnetIds", ()))),
        ("security groups", sorted(groups), sorted(network.get("securityGroupIds", ())) if groups else []),
        ("vCPUs", _number(asked_capacity["cpu"]), _number(capacity.get("cpu", ""))),
        ("memory", _number(asked_capacity["memory"]), _number(capacity.get("memory", ""))),
        ("runs at once", row["scheduler_configuration"]["max_concurrent_runs"], scheduler.get("maxConcurrentRuns")),
        ("idle minutes", row["auto_stop_configuration"]["idle_timeout_minutes"], idle),
    ):
        if asked != there:
            yield f"{what} {there} becomes {asked}"


def _number(amount: str) -> str:
    """Returns the number of `16 vCPU`, which the service may write otherwise."""
    return amount.partition(" ")[0]


def _stop(emr: Any, id_: str) -> None:
    until = time.monotonic() + STOPPED_WITHIN_S
    with aws_call("emr-serverless:StopApplication", id_):
        emr.stop_application(applicationId=id_)
        while emr.get_application(applicationId=id_)["application"]["state"] in STARTED:
            if time.monotonic() > until:
                return  # AWS says what is wrong when it is changed
            time.sleep(LOOK_EVERY_S)
