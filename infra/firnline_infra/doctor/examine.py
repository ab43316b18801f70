"""Examines an environment before its first `up`, and after: every check, whatever became of the others."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from firnline_infra.accounts import Accounts, check_aws, check_snowflake
from firnline_infra.accounts.aws import aws_call
from firnline_infra.accounts.errors import AwsRefused, AwsUnreachable, SnowflakeRefused
from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.blueprint.network import egress
from firnline_infra.deploy.existing import already_there
from firnline_infra.doctor import boundary, ci, clock, key, limits, network, quotas, rights, tools
from firnline_infra.doctor.findings import Check, Examination, Finding, good, unknown, wrong
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.elsewhere import is_elsewhere, place_of
from firnline_ingest.errors import FirnlineError, SnowflakeError

NOT_ASKED = (AwsRefused, AwsUnreachable, SnowflakeRefused, SnowflakeError)
"""These say that something could not be asked; any other error says that it is wrong."""
State = Callable[[], dict[str, Any]]


def examine(spec: EnvironmentSpec, accounts: Accounts, *, state: State, areas: Iterable[str] = ()) -> Examination:
    """`state` asks for the stack's; `areas`: only these, all of them where empty."""
    wanted = set(areas)
    checks = [check for check in _checks(spec, accounts, state) if not wanted or check.area in wanted]
    return Examination(
        environment=spec.name,
        findings=tuple((check.area, finding) for check in checks for finding in _examined(check)),
    )


def _checks(spec: EnvironmentSpec, accounts: Accounts, state: State) -> Iterator[Check]:
    blueprint, aws = blueprint_of(spec), accounts.aws
    yield from (Check(area="tools", run=each) for each in (tools.python, tools.packages, tools.pulumi))
    yield Check(area="network", run=partial(network.reach, egress(spec)))
    yield Check(area="accounts", run=partial(_aws_account, spec, accounts))
    yield Check(area="accounts", run=partial(_elsewhere, spec))
    yield Check(area="accounts", run=lambda: key.recorded(spec, aws("kms")))
    yield Check(area="accounts", run=partial(_snowflake_account, spec, accounts))
    yield Check(area="clock", run=lambda: clock.skew(aws("sts")))
    yield Check(area="rights", run=partial(_rights, spec, blueprint, accounts))
    yield Check(area="rights", run=lambda: boundary.boundary(spec, blueprint, aws("iam")))
    yield Check(area="limits", run=lambda: limits.shards(blueprint, aws("kinesis")))
    yield Check(area="limits", run=lambda: limits.consumers(blueprint, aws("kinesis")))
    yield Check(area="limits", run=partial(limits.policies, blueprint))
    yield Check(area="limits", run=lambda: quotas.tables(blueprint, aws("dynamodb"), aws("service-quotas")))
    yield Check(area="limits", run=lambda: quotas.secrets(blueprint, aws("secretsmanager"), aws("service-quotas")))
    yield Check(area="limits", run=lambda: quotas.vcpus(spec, aws("service-quotas")))
    yield Check(
        area="ci", run=lambda: ci.approvals(spec, environ=os.environ, folder=Path.cwd(), ask=ci.asking(os.environ))
    )
    yield Check(area="names", run=partial(_names, blueprint, accounts, state))


def _examined(check: Check) -> Iterator[Finding]:
    try:
        yield from check.run()
    except NOT_ASKED as error:
        yield unknown(check.area, error.what, next_step=error.next_step)
    except FirnlineError as error:
        yield wrong(check.area, error.what, next_step=error.next_step)


def _aws_account(spec: EnvironmentSpec, accounts: Accounts) -> Iterator[Finding]:
    check_aws(spec, accounts)
    yield good("AWS", f"account {spec.aws.account}, as specified")


def _elsewhere(spec: EnvironmentSpec) -> Iterator[Finding]:
    """Its owner lets the engine in, and nobody else."""
    for stream in spec.streams:
        if stream.role_arn is not None or is_elsewhere(spec, stream):
            place = place_of(spec, stream)
            said = f"is in {place.region} of {place.account}, which only the engine may ask"
            yield unknown(
                f"stream {stream.name}",
                said,
                next_step="`firnline validate` where the engine runs; what its owner makes: `firnline owners`",
            )


def _snowflake_account(spec: EnvironmentSpec, accounts: Accounts) -> Iterator[Finding]:
    with closing(accounts.snowflake()) as session:
        check_snowflake(spec, session)
    yield good("Snowflake", f"account {spec.snowflake.account}, as specified")


def _rights(spec: EnvironmentSpec, blueprint: Blueprint, accounts: Accounts) -> Iterator[Finding]:
    with aws_call("sts:GetCallerIdentity", "whoever asks"):
        caller = accounts.aws("sts").get_caller_identity()["Arn"]
    with aws_call("iam:SimulatePrincipalPolicy", caller):
        yield from rights.rights(spec, blueprint, accounts.aws("iam"), caller)


def _names(blueprint: Blueprint, accounts: Accounts, state: State) -> Iterator[Finding]:
    with closing(accounts.snowflake()) as session:
        taken = list(already_there(blueprint, accounts, session, state()))
    for each in taken:
        step = "adopt it (origin: adopt), import it (docs/adopt.md), or give yours another name"
        yield wrong(each, "is there, and this stack did not make it", next_step=step)
    if not taken:
        yield good("names", "nothing that `up` would make is there already")
