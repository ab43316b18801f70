"""The state of the other tool, in the bootstrap's bucket, is a marker; tests/terraform and tests/pulumi try real states."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from firnline_infra.specification.names import bootstrap_names
from firnline_infra.stack.other_tool import PULUMI, held_by_other_tool
from firnline_infra.terraform.stack import TERRAFORM
from tests.infra.terraform.test_module import spec_of

SPEC = spec_of("dev")
BUCKET = bootstrap_names(SPEC).state_bucket
STREAM = {"type": "aws:kinesis/stream:Stream", "custom": True}
TF, FOUNDATION = "terraform/dev.tfstate", ".pulumi/stacks/firnline-foundation/dev.json"


def by_pulumi(*resources: Any) -> Any:
    return {"checkpoint": {"latest": {"resources": [{"type": "pulumi:pulumi:Stack"}, *resources]}}}


def by_terraform(**resource: Any) -> Any:
    return {"version": 4, "resources": [{"mode": "managed", "instances": [{}], **resource}]}


@pytest.fixture
def refusals(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., list[str]]]:
    """Yields what is said to one of the tools where these objects are in the bucket."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")

    def said(ours: str, objects: dict[str, Any]) -> list[str]:
        with mock_aws():
            s3 = boto3.client("s3", region_name="us-east-1")
            s3.create_bucket(Bucket=BUCKET)
            for key, document in objects.items():
                s3.put_object(Bucket=BUCKET, Key=key, Body=json.dumps(document).encode())
            return [str(each) for each in held_by_other_tool(SPEC, lambda _: s3, ours)]

    return said


@pytest.mark.parametrize(
    ("ours", "key", "state", "count"),
    [
        (TERRAFORM, FOUNDATION, by_pulumi(STREAM, STREAM), 2),
        (TERRAFORM, FOUNDATION, by_pulumi(), 0),
        (TERRAFORM, FOUNDATION, {"checkpoint": {"latest": None}}, 0),
        (TERRAFORM, ".pulumi/stacks/firnline/mydev.json", by_pulumi(STREAM), 0),
        (TERRAFORM, ".pulumi/history/firnline/dev/dev.json", by_pulumi(STREAM), 0),
        (TERRAFORM, TF, by_terraform(), 0),
        (PULUMI, TF, by_terraform(), 1),
        (PULUMI, TF, by_terraform(mode="data"), 0),
        (PULUMI, TF, by_terraform(instances=[]), 0),
        (PULUMI, TF, {"encrypted_data": "…", "meta": {}}, 1),
        (PULUMI, FOUNDATION, by_pulumi(STREAM), 0),
    ],
)
def test_what_the_other_ones_state_holds_stops_a_tool(
    refusals: Callable[..., list[str]], ours: str, key: str, state: Any, count: int
) -> None:
    found = refusals(ours, {key: state})
    assert len(found) == bool(count)
    for each in found:
        assert f"s3://{BUCKET}/{key} holds {count} resource" in each
        assert "docs/beside-terraform.md" in each


def test_every_layer_that_still_holds_something_is_named(refusals: Callable[..., list[str]]) -> None:
    states = {f".pulumi/stacks/firnline-{layer}/dev.json": by_pulumi(STREAM) for layer in ("foundation", "warehouse")}
    assert len(refusals(TERRAFORM, states)) == 2


def test_without_a_bucket_nothing_is_said() -> None:
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
        assert list(held_by_other_tool(SPEC, lambda _: client, PULUMI)) == []
        assert list(held_by_other_tool(SPEC, lambda _: client, TERRAFORM)) == []
