"""A token that ends while a tool is at work is called that, with the same next step everywhere."""

import pytest

from firnline_infra.accounts.expiry import NEW_CREDENTIALS, says_expired
from firnline_infra.pulumi_cli.errors import CommandFailed
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


def test_what_failed_for_another_reason_is_not_called_that() -> None:
    line = "error: creating Kinesis Stream (orders): LimitExceededException: 50 shards"
    assert not says_expired(line)
    assert "expired" not in CommandFailed("up", exit_status=255, lines=[line]).what
    assert "correct what it says" in TerraformFailed("terraform apply", 1, [line]).next_step
