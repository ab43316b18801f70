"""Examines an environment before its first `up`, and after: every check, whatever became of the others."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from firnline_infra.accounts import Accounts, check_aws, checked_session
from firnline_infra.accounts.accounts import rows
from firnline_infra.accounts.aws import aws_call
from firnline_infra.accounts.errors import AwsRefused, AwsUnreachable, SnowflakeRefused
from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.blueprint.network import egress
from firnline_infra.doctor import boundary, ci, key, limits, machine, network, objects, quotas, rights
from firnline_infra.observe.errors import AdoptedUnusable, AlreadyThere
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.stack.preconditions import another_may_have, objects_in_the_way
from firnline_ingest.checks import Check, Finding, Report, Rule, Suite, Verdict, findings_of, good, wrong
from firnline_ingest.errors import SnowflakeError

NOT_ASKED = (AwsRefused, AwsUnreachable, SnowflakeRefused, SnowflakeError)
"""These say that something could not be asked; any other error says that it is wrong."""
RULES = {
    "tools": Rule("A tool on this machine is missing or too old."),
    "network": Rule("A host can't be reached from here."),
    "accounts": Rule("An account, or the key, is not the specification's."),
    "clock": Rule("This machine's clock is off."),
    "rights": Rule("The deployer, or the permissions boundary, lacks a right."),
    "limits": Rule("A service limit is below what the specification asks for."),
    "ci": Rule("Nobody has to approve what CI does."),
    "names": Rule("An object that `up` would create exists already."),
    "leftovers": Rule("Something is there that nothing needs any more."),
}
DOCTOR = Suite(name="doctor", rules=RULES, first=Verdict.WRONG, lists_good=True)
"""What is wrong decides the exit status: it is to be corrected first."""
OF_REAL_ACCOUNTS = {"network", "rights", "limits", "ci"}
"""Public hosts, a bootstrap, quotas and a pipeline: accounts that begin empty with each start have none of them."""
State = Callable[[], dict[str, Any]]


def examine(spec: EnvironmentSpec, accounts: Accounts, *, state: State, areas: Iterable[str] = ()) -> Report:
    """`state` asks for the stack's; `areas`: only these, all that the accounts have where empty."""
    wanted = set(areas) or RULES.keys() - (OF_REAL_ACCOUNTS if accounts.begin_empty else set())
    checks = [check for check in _checks(spec, accounts, state) if check.rule in wanted]
    found = tuple(finding for check in checks for finding in findings_of(check, incomplete=NOT_ASKED))
    return Report(suite=DOCTOR, environment=spec.name, findings=found)


def _checks(spec: EnvironmentSpec, accounts: Accounts, state: State) -> Iterator[Check]:
    blueprint, aws = blueprint_of(spec), accounts.aws
    runs: tuple[tuple[str, Callable[[], Iterable[Finding]]], ...] = (
        ("tools", machine.python),
        ("tools", machine.packages),
        ("tools", machine.pulumi),
        ("network", partial(network.reach, egress(blueprint.environment))),
        ("network", partial(network.stages, spec)),
        ("accounts", partial(_aws_account, spec, accounts)),
        ("accounts", partial(objects.cross_account, spec)),
        ("accounts", lambda: key.recorded(spec, aws("kms"))),
        ("accounts", partial(_snowflake_account, spec, accounts)),
        ("clock", lambda: machine.skew(aws("sts"))),
        ("rights", partial(_rights, blueprint, accounts)),
        ("rights", lambda: boundary.boundary(blueprint, aws("iam"))),
        ("limits", lambda: limits.shards(blueprint, aws("kinesis"))),
        ("limits", lambda: limits.consumers(blueprint, aws("kinesis"))),
        ("limits", partial(limits.policies, blueprint)),
        ("limits", lambda: quotas.tables(blueprint, aws("dynamodb"), aws("service-quotas"))),
        ("limits", lambda: quotas.secrets(blueprint, aws("secretsmanager"), aws("service-quotas"))),
        ("limits", lambda: quotas.vcpus(spec, aws("service-quotas"))),
        ("ci", lambda: ci.approvals(spec, environ=os.environ, folder=Path.cwd(), ask=ci.asking(os.environ))),
        ("names", partial(_names, spec, accounts, state)),
        ("leftovers", lambda: objects.migration(spec, aws("dynamodb"))),
    )
    yield from (Check(name=area, rule=area, run=run) for area, run in runs)


def _aws_account(spec: EnvironmentSpec, accounts: Accounts) -> Iterator[Finding]:
    check_aws(spec, accounts)
    yield good("AWS", f"account {spec.aws.account}, as specified")


def _snowflake_account(spec: EnvironmentSpec, accounts: Accounts) -> Iterator[Finding]:
    with checked_session(spec, accounts) as session:
        (answer,) = rows(session, "SELECT CURRENT_REGION() AS REGION")
    yield good("Snowflake", f"account {spec.snowflake.account}, as specified")
    yield from limits.streaming_region(str(answer["region"]))


def _rights(blueprint: Blueprint, accounts: Accounts) -> Iterator[Finding]:
    with aws_call("sts:GetCallerIdentity", "whoever asks"):
        caller = accounts.aws("sts").get_caller_identity()["Arn"]
    with aws_call("iam:SimulatePrincipalPolicy", caller):
        yield from rights.rights(blueprint, accounts.aws("iam"), caller)


def _names(spec: EnvironmentSpec, accounts: Accounts, state: State) -> Iterator[Finding]:
    taken = False
    with closing(accounts.snowflake()) as session:
        known = state()
        for refusal in objects_in_the_way(spec, accounts, session, known):
            taken = taken or isinstance(refusal, AlreadyThere)
            yield from _objects(refusal)
        unseen = another_may_have(blueprint_of(spec), session, known)
    if not taken:
        rest = f". {unseen}" if unseen else ""
        yield good("names", f"nothing that `up` would create exists already{rest}")


def _objects(refusal: AlreadyThere | AdoptedUnusable) -> Iterator[Finding]:
    """One finding for each object."""
    if isinstance(refusal, AlreadyThere):
        step = "adopt it (origin: adopt), import it (docs/adopt.md), or give yours another name"
        yield from (wrong(each, "is there, and this stack did not make it", next_step=step) for each in refusal.found)
    else:
        step = "`firnline preview` has the statements that its owner runs"
        yield from (wrong("what is adopted", each, next_step=step) for each in refusal.problems)
