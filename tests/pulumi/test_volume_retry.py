"""An external volume that can't be used at first, through the real engine: tried again, and not for ever."""

import uuid
from collections.abc import Iterator
from dataclasses import replace

import pytest

from firnline_infra.pulumi_cli.errors import CommandFailed
from firnline_local.running import RunningEnvironment
from tests.pulumi.trial_project import TrialProject

pytestmark = [pytest.mark.pulumi, pytest.mark.slow]

PROGRAM = """
import os
from pathlib import Path
import pulumi
from firnline_infra.blueprint.aws import Bucket
from firnline_local.running import RunningEnvironment
from firnline_infra.pulumi import rendering
from firnline_infra.pulumi.snowflake import IcebergVolume, IcebergVolumeArgs
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.model import Durability

config = pulumi.Config()
name, role, key = config.require("name"), config.require("role"), config.require("key")
rendering.TRIES, rendering.PAUSE_S = 3, 0.05
again = rendering.try_again

async def try_again(failed):
    pulumi.info(f"try {len(failed.errors)} failed")
    if len(failed.errors) == config.get_int("mended_after"):
        kms = RunningEnvironment.attach(Path(os.environ["FIRNLINE_LOCAL_FOLDER"])).client("kms")
        kms.enable_key(KeyId=key.rpartition("/")[2])
    return await again(failed)

rendering.try_again = try_again
IcebergVolume("lake", IcebergVolumeArgs(
    name=Identifier(name.upper().replace("-", "_")),
    bucket=Bucket(name=name, key_arn=key, durability=Durability.EPHEMERAL),
    role_arn=role,
    external_id="ours",
))
"""


@pytest.fixture
def configuration(embedded_project: TrialProject, local_environment: RunningEnvironment) -> Iterator[dict[str, str]]:
    """With a key that is switched off: what is missing comes to be while the volume is tried, as a new role does in AWS."""
    kms, name = local_environment.client("kms"), f"lake-{uuid.uuid4().hex[:8]}"
    key = kms.create_key()["KeyMetadata"]["Arn"]
    kms.disable_key(KeyId=key.rpartition("/")[2])
    role = f"arn:aws:iam::{local_environment.endpoints.aws_account}:role/{name}"
    yield {"name": name, "role": role, "key": key}
    embedded_project.cli.destroy("dev")


def test_a_volume_that_is_not_ready_yet_is_tried_until_it_is(
    embedded_project: TrialProject, configuration: dict[str, str]
) -> None:
    embedded_project.write(PROGRAM, **configuration, mended_after="2")
    lines: list[str] = []
    replace(embedded_project.cli, on_line=lines.append).up("dev")
    said = "\n".join(lines)
    assert [f"try {number} failed" in said for number in (1, 2, 3)] == [True, True, False]
    embedded_project.cli.preview("dev", refresh=True, expect_no_changes=True)


def test_one_that_never_will_be_fails_with_what_is_in_the_way_and_what_to_do(
    embedded_project: TrialProject, configuration: dict[str, str]
) -> None:
    embedded_project.write(PROGRAM, **configuration)
    with pytest.raises(CommandFailed) as caught:
        embedded_project.cli.up("dev")
    said = "\n".join(caught.value.lines)
    assert [f"try {number} failed" in said for number in (4, 5)] == [True, False]
    assert "is Disabled, not enabled" in said
    assert "[FL-7120] lake-verify failed 4 times" in said
    assert "the key's policy" in said
