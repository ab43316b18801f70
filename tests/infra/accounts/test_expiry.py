"""A token that ends while a tool is at work is called that, with the same next step everywhere."""

from pathlib import Path

import pytest

from firnline_infra.accounts.errors import AwsRefused, AwsUnreachable
from firnline_infra.accounts.expiry import CLOCK, NEW_CREDENTIALS, says_expired
from firnline_infra.pulumi_cli import PulumiCli
from firnline_infra.pulumi_cli.errors import CommandFailed
from firnline_infra.terraform.cli import TerraformCli
from firnline_infra.terraform.errors import TerraformFailed

SAID = [
    "error: operation error Kinesis: UpdateShardCount, https response error StatusCode: 400, ExpiredTokenException: over",
    "error: operation error S3: PutObject, https response error StatusCode: 400, api error ExpiredToken: The provided token",
    "error: reading stack: The security token included in the request is expired",
    "error: failed to refresh cached credentials, refresh cached SSO token failed",
]


@pytest.mark.parametrize("line", SAID)
def test_it_is_said_of_both_tools(line: str) -> None:
    half = line.rfind(" ", 0, 60)
    framed = ["╷", f"│ {line[:half]}", f"│ {line[half + 1 :]}", "╵"]
    for error in (CommandFailed("up", exit_status=255, lines=[line]), TerraformFailed("terraform apply", 1, framed)):
        assert "because the credentials have expired" in error.what
        assert error.next_step == f"{NEW_CREDENTIALS} What was done is in the state."


EARLY = "seq 1 40 | sed 's/^/created object /'; echo 'api error ExpiredTokenException: over' >&2; seq 1 200"
"""An `up` of a while, at whose end the tool has much to say."""


@pytest.mark.parametrize("status", ["exit 255", "echo 'Resources: 1 errored'"])
def test_a_token_that_ends_in_the_middle_of_a_pulumi_up_is_called_that(tmp_path: Path, status: str) -> None:
    with pytest.raises(CommandFailed, match="because the credentials have expired") as failed:
        PulumiCli(binary=_tool(tmp_path, f"{EARLY}; {status}"), project=tmp_path, variables={}).up("dev")
    assert failed.value.next_step == f"{NEW_CREDENTIALS} What was done is in the state."


def test_a_token_that_ends_in_the_middle_of_a_terraform_apply_is_called_that(tmp_path: Path) -> None:
    with pytest.raises(TerraformFailed, match="because the credentials have expired") as failed:
        TerraformCli(_tool(tmp_path, f"{EARLY}; exit 1"), tmp_path, {}).apply()
    assert failed.value.next_step == f"{NEW_CREDENTIALS} What was done is in the state."


def _tool(folder: Path, script: str) -> Path:
    binary = folder / "tool"
    binary.write_text(f"#!/bin/sh\n{script}\n")
    binary.chmod(0o755)
    return binary


def test_what_failed_for_another_reason_is_not_called_that() -> None:
    line = "error: creating Kinesis Stream (orders): LimitExceededException: 50 shards"
    assert not says_expired(line)
    assert "expired" not in CommandFailed("up", exit_status=255, lines=[line]).what
    assert "fix the reported error" in TerraformFailed("terraform apply", 1, [line]).next_step


OTHER_HOURS = [
    "(SignatureDoesNotMatch) when calling the GetCallerIdentity operation: Signature expired: 20261129T014428Z is earlier",
    "(InvalidSignatureException): Signature not yet current: 20261129T044428Z is still later than 20261129T030000Z",
    "(RequestTimeTooSkewed): The difference between the request time and the current time is too large.",
]


@pytest.mark.parametrize("said", OTHER_HOURS)
def test_a_clock_that_is_off_is_no_missing_right_and_no_missing_login(said: str) -> None:
    assert AwsRefused("kinesis:ListStreams", "the account", said).next_step == CLOCK
    assert AwsUnreachable(said).next_step == CLOCK
    for error in (CommandFailed("up", exit_status=255, lines=[said]), TerraformFailed("terraform apply", 1, [said])):
        assert error.next_step == f"{CLOCK} What was done is in the state."


@pytest.mark.parametrize(
    "said",
    [
        "Unable to locate credentials. You can configure credentials by running aws login",
        "The SSO session associated with this profile has expired or is otherwise invalid.",
        "Error when retrieving token from sso: Token has expired and refresh failed",
        "(UnrecognizedClientException) when calling the ListStreams operation: The security token is invalid.",
        "(RequestExpired) when calling the DescribeSubnets operation: Request has expired.",
    ],
)
def test_whoever_is_not_logged_in_is_told_to_log_in(said: str) -> None:
    assert AwsRefused("kinesis:ListStreams", "the account", said).next_step == NEW_CREDENTIALS


def test_a_right_that_is_missing_is_to_be_granted() -> None:
    said = "(AccessDeniedException) when calling the ListStreams operation: User: x is not authorized"
    assert "allow kinesis:ListStreams" in AwsRefused("kinesis:ListStreams", "the account", said).next_step
