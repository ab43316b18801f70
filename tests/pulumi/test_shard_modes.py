"""A stream goes from a number of shards to on demand and back, as the stock provider lets it."""

import uuid

import pytest

from firnline_local.running import RunningEnvironment
from tests.pulumi.trial_project import TrialProject

pytestmark = [pytest.mark.pulumi, pytest.mark.slow]
PROGRAM = """
import pulumi
from firnline_infra.pulumi.aws import EventStream, EventStreamArgs
from firnline_infra.specification.model import Durability

config = pulumi.Config()
shards = config.get_int("shards")
EventStream("orders", EventStreamArgs(
    name=config.require("stream"), shards=shards, durability=Durability.EPHEMERAL,
))
"""


def test_the_mode_of_a_stream_is_switched_in_place(
    embedded_project: TrialProject, local_environment: RunningEnvironment
) -> None:
    name = f"trial-{uuid.uuid4().hex[:8]}"
    kinesis, cli = local_environment.client("kinesis"), embedded_project.cli

    def mode() -> str:
        found = kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]
        return str(found["StreamModeDetails"]["StreamMode"])

    for shards, wanted in ((2, "PROVISIONED"), (None, "ON_DEMAND"), (4, "PROVISIONED")):
        embedded_project.write(PROGRAM, stream=name, **({} if shards is None else {"shards": str(shards)}))
        cli.up("dev", refresh=True)
        assert mode() == wanted
        cli.preview("dev", refresh=True, expect_no_changes=True)
    cli.destroy("dev")
