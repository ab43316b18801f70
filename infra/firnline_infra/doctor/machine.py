"""This machine: Python, the Pulumi CLI and the packages whose plugins it starts; and whether its clock is near to AWS's, because
signatures are refused beyond five minutes, and Snowflake's tokens sooner.
"""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from firnline_infra.accounts.aws import aws_call
from firnline_infra.accounts.expiry import CLOCK, step_of_whoever_asks
from firnline_infra.pulumi_cli import find_cli
from firnline_infra.stack.versions import check_packages, untested_packages
from firnline_ingest.checks import Finding, good, unknown, wrong

MOST_S = 60
STEP = "let the machine keep time: chrony, systemd-timesyncd"


def python() -> Iterator[Finding]:
    """The release of ours that runs has refused any other while it was installed."""
    yield good("Python", sys.version.partition(" ")[0])


def packages() -> Iterator[Finding]:
    """Raises PackagesTooOld."""
    check_packages()
    yield good("Pulumi's packages", " ".join(untested_packages()) or "as tested")


def pulumi() -> Iterator[Finding]:
    """Raises CliMissing or CliTooOld."""
    yield good("Pulumi CLI", str(find_cli()))


def skew(sts: Any, now: datetime | None = None) -> Iterator[Finding]:
    """Raises AwsRefused. STS refuses a request of another hour, and its refusal has the time too."""
    from botocore.exceptions import ClientError

    with aws_call("sts:GetCallerIdentity", "this machine's clock"):
        try:
            answer = sts.get_caller_identity()
        except ClientError as error:
            if step_of_whoever_asks(str(error)) != CLOCK:
                raise
            answer = error.response
    said = answer["ResponseMetadata"].get("HTTPHeaders", {}).get("date")
    if said is None:
        yield unknown("clock", "AWS's answer had no date", next_step="a proxy that takes headers away?")
        return
    behind_s = round((parsedate_to_datetime(said) - (now or datetime.now(UTC))).total_seconds())
    if abs(behind_s) > MOST_S:
        way = "behind" if behind_s > 0 else "ahead"
        yield wrong("clock", f"is {abs(behind_s)} s {way}; {MOST_S} s at most", next_step=STEP)
    else:
        yield good("clock", f"within {MOST_S} s of AWS's")
