"""Names of each environment's resources are golden: another one is another object for stacks that live.

What is asked for under them is Terraform's, which is golden too (test_beside_terraform.py). FIRNLINE_WRITE_GOLDEN=1 writes them
anew.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.alarms import LEDGER_OPERATIONS
from firnline_infra.kinds import layers
from firnline_infra.specification import EnvironmentSpec
from tests.infra.pulumi.conftest import Deploy, Deployment, SpecOf, deployed, program

GOLDEN = Path(__file__).parent / "golden" / "registered.txt"
LEDGER_ALARMS = {f"alarms-firnline-prod-ledger-{each}-errors" for each in LEDGER_OPERATIONS}
STREAM_ALARMS = ("lag", "throttled", "dead-letters", "rejected-rows", "stopped", "time-to-trim", "waiting")
ENVIRONMENTS = ["local", "dev", "staging", "prod"]
LAYERS = (layers.foundation, layers.warehouse, layers.runtime)
HOLD_DATA = {
    "Key",
    "Stream",
    "Table",
    "Bucket",
    "Secret",
    "Database",
    "Schema",
    "Pipe",
    "IcebergTable",
    "ExternalVolume",
}


def registered(name: str, deployment: Deployment) -> Iterator[str]:
    """Yields a line a resource: its environment, the end of its URN, and the options that differ from its component's."""
    for each in deployment.made:
        options = {
            "protect": each.protect,
            "retainOnDelete": each.retain_on_delete,
            "ignoreChanges": ",".join(each.ignore_changes),
            "import": each.import_id,
            "triedAgain": each.is_tried_again,
        }
        given = [f"{option}={value}" for option, value in options.items() if value]
        yield " ".join((name, f"{each.inside}${each.type}::{each.name}", *given))


def test_what_an_environment_registers_has_the_reviewed_names_and_options() -> None:
    lines = [line for name in ENVIRONMENTS for line in registered(name, deployed(name))]
    text = "\n".join(lines) + "\n"
    if os.environ.get("FIRNLINE_WRITE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
        pytest.fail(f"{GOLDEN.name} was written: review it, and run the test again")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_a_pipe_of_ones_own_loads_what_the_specification_picks() -> None:
    (pipe,) = deployed("staging").of("Pipe")
    assert (pipe.inputs["database"], pipe.inputs["schema"], pipe.inputs["name"]) == (
        *("FIRNLINE_STAGING", "RAW", "CLICKS_TYPED"),
    )
    assert pipe.inputs["copyStatement"] == (
        'COPY INTO "FIRNLINE_STAGING"."RAW"."CLICKS" FROM (SELECT $1:KINESISMETADATA::OBJECT, $1:page.url::VARCHAR, '
        "$1:clickedAt::TIMESTAMP_NTZ FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')))"
    )


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_preview_asks_for_the_same(name: str, deploy: Deploy, spec_of: SpecOf) -> None:
    assert deploy(program(spec_of(name)), preview=True).children == deployed(name).children


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_child_belongs_to_a_component_and_goes_before_its_successor(name: str) -> None:
    deployment = deployed(name)
    components = {each.name for each in deployment.resources if each.type.startswith("firnline:")}
    assert all(each.parent in components and each.name.startswith(each.parent) for each in deployment.made)
    assert all(each.delete_before_replace for each in deployment.made)


def test_what_holds_data_is_protected_and_nothing_else() -> None:
    deployment = deployed("prod")
    protected = {each.name for each in deployment.made if each.protect}
    holding = {each.name for each in deployment.made if each.type.rpartition(":")[2] in HOLD_DATA}
    assert protected == holding | {"landing-table-FIRNLINE_PROD.LIVE.PRICES"}  # a table that a statement makes


def test_nothing_ephemeral_is_protected() -> None:
    assert not [each.name for each in deployed("dev").made if each.protect]


@pytest.mark.parametrize(
    ("changes", "gone", "come"),
    [
        ({"alarms": {"topics": []}}, {f"alarms-firnline-prod-{each}-{what}" for each in ("orders", "clicks", "prices")
          for what in STREAM_ALARMS} | {"alarms-firnline-prod-heartbeat"} | LEDGER_ALARMS, set()),
        ({"publication": {"ssm_prefix": None}}, {"published-engine-config", "published-engine-config-hash",
          "published-engine-role", "published-ledger-table"}, set()),
        ({"ledger": {"migration": True}}, set(), {"ledger-migration"}),
        ({"snowflake": {"key_pair_only": False}}, {"landing-authentication-policy",
          "landing-user-FIRNLINE_PROD_INGEST-authentication-policy",
          "landing-user-FIRNLINE_PROD_READER-authentication-policy",
          "landing-grant-FIRNLINE_PROD_DEPLOY-user-FIRNLINE_PROD_INGEST",
          "landing-grant-FIRNLINE_PROD_DEPLOY-user-FIRNLINE_PROD_READER"}, set()),
        ({"snowflake": {"allowed_networks": []}}, {"landing-network-policy"}, set()),
        ({"aws": {"bucket": {"origin": "adopt", "name": "theirs-1"}}}, {"bucket-bucket", "bucket-ownership",
          "bucket-public-access", "bucket-policy", "bucket-encryption", "bucket-versioning", "bucket-lifecycle"}, set()),
    ],
)  # fmt: skip # a paragraph, not a column
def test_a_switch_takes_away_or_adds_exactly_what_it_says(
    changes: dict[str, Any], gone: set[str], come: set[str], spec_of: SpecOf
) -> None:
    """By the rows, of which the program makes a resource each (test_beside_terraform.py)."""

    def made(spec: EnvironmentSpec) -> set[str]:
        blueprint = blueprint_of(spec)
        components = (each for layer in LAYERS for each in layer(blueprint))
        return {row.name for each in components for row in each.resources()}

    before, after = made(spec_of("prod")), made(spec_of("prod", **changes))
    assert (before - after, after - before) == (gone, come)


def test_an_engine_outside_aws_is_a_user_and_not_a_role(deploy: Deploy, spec_of: SpecOf) -> None:
    account = {"oidc_provider": "oidc.eks.eu-west-1.amazonaws.com/id/A", "namespace": "n", "service_account": "s"}
    aws = [{"runtime": each} for each in ({"trust": "irsa", **account}, {"trust": "static-keys"})]
    before, after = (deploy(program(spec_of("dev", aws=each))) for each in aws)
    assert before.children.keys() - after.children.keys() == {"engine-role-role", "engine-role-policy"}
    assert after.children.keys() - before.children.keys() == {
        *("engine-user-user", "engine-user-policy", "engine-user-attachment")
    }
    user, policy, attachment = (after[f"engine-user-{part}"] for part in ("user", "policy", "attachment"))
    users, roles = (json.loads(each.inputs["policy"])["Statement"] for each in (policy, before["engine-role-policy"]))
    assert users == [statement for statement in roles if statement["Sid"] != "WriteLogs"], "EMR alone writes logs"
    assert policy.inputs["tags"] == user.inputs["tags"]
    assert (policy.inputs["path"], policy.inputs["name"]) == ("/firnline/", user.inputs["name"])
    assert {user.name, policy.name} <= attachment.after


def test_the_engine_is_told_the_consumer_that_was_made_for_it_and_may_subscribe_by_no_other(
    deploy: Deploy, spec_of: SpecOf
) -> None:
    streams = [{"name": "orders", "consumers": ["fraud", "us"]}]
    pipelines = [
        {"stream": "orders", "database": "LAKE", "schema": "RAW", "reader": {"fan_out": {"consumer": "us"}}},
    ]
    snowflake = {"account": "ACME-PROD", "external_volumes": [], "interactive_warehouse": None}
    deployment = deploy(program(spec_of("prod", streams=streams, pipelines=pipelines, snowflake=snowflake)))
    arn = deployment.outputs["consumer_arns"]["orders/us"]
    (pipeline,) = json.loads(deployment["engine-config-document"].inputs["content"])["pipelines"]
    assert pipeline["reader"] == {"fan_out": {"consumer_arn": arn}}
    statements = [
        statement
        for policy in deployment.of("RolePolicy")
        for statement in json.loads(policy.inputs["policy"])["Statement"]
        if statement["Sid"] == "Subscribe"
    ]
    assert [statement["Resource"] for statement in statements] in ([arn], [[arn]])


def test_an_adopted_stream_and_bucket_are_used_and_not_made(deploy: Deploy, spec_of: SpecOf) -> None:
    streams = [{"name": "orders", "origin": "adopt", "consumers": ["fraud"]}]
    adopted = {"bucket": {"origin": "adopt", "name": "theirs-1"}}
    pipelines = [{"stream": "orders", "database": "LAKE", "schema": "RAW"}]
    snowflake = {"account": "ACME-PROD", "external_volumes": [], "interactive_warehouse": None}
    spec = spec_of("prod", streams=streams, pipelines=pipelines, aws=adopted, snowflake=snowflake)
    deployment = deploy(program(spec))
    assert deployment.of("Stream") == []
    assert deployment.of("Bucket") == []
    arn = "arn:aws:kinesis:eu-central-1:333344445555:stream/orders"
    assert deployment["stream-orders-consumer-fraud"].inputs["streamArn"] == arn
    assert deployment.outputs["stream_arns"] == {"orders": arn}
    assert deployment["engine-config-document"].inputs["bucket"] == "theirs-1"
