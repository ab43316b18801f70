"""Every wildcard of a bootstrap is on the list that docs/permissions.md shows, and nothing else is on it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from docs.tools.permissions.wildcards import WILDCARDS, Wildcard
from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.engine_policy import engine_policy
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.environment import Environment
from firnline_infra.render.bootstrap import template
from firnline_infra.render.bootstrap.ci_provider import GitHub
from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.formats.avro import AvroFormat, AvroFraming
from tests.infra.render.conftest import RUNTIMES, running_on
from tests.infra.runtimes.environments import spec_of

END_OF_A_FOLDER = re.compile(r"arn:aws:s3:::[a-z0-9-]+/([^*?]+/)?\*")
KEY = "arn:aws:kms:eu-central-1:123456789012:key/1-2"
Held = tuple[str, str, str]


def documents(value: Any) -> Iterator[dict[str, Any]]:
    """Every policy in a template."""
    if isinstance(value, dict):
        yield from [value] if "Statement" in value else []
        for each in value.values():
            yield from documents(each)


def wildcards(document: dict[str, Any]) -> Iterator[Held]:
    for statement in document["Statement"]:
        elements = {
            "Action": statement["Action"],
            "Resource": [each for each in statement.get("Resource", []) if isinstance(each, str)],
            "Principal": list(statement.get("Principal", {}).values()),
        }
        for element, values in elements.items():
            for value in values:
                if re.search(r"[*?]", value) and not END_OF_A_FOLDER.fullmatch(value):
                    yield statement["Sid"], element, value


@pytest.fixture
def held(prod_spec: EnvironmentSpec, small_spec: EnvironmentSpec) -> set[Held]:
    adopting = spec_of(
        "prod", "emr_serverless", emr_serverless={"origin": "adopt", "application_id": "00fabcdefghijk09"}
    )
    first, *others = prod_spec.pipelines
    framed = AvroFormat(type="avro", framing=AvroFraming.GLUE)
    also = [first.model_copy(update={"reader": "polling", "stream_pattern": "orders-.*", "format": framed}), *others]
    finding = prod_spec.model_copy(update={"pipelines": also})
    key = {"sid": "Open", "why": "opens what a transform reads", "actions": ["kms:Decrypt"], "resources": [KEY]}
    extra = running_on({"statements": [key]})
    specs = [
        prod_spec,
        small_spec,
        finding,
        extra,
        spec_of("prod", "emr_ec2"),
        spec_of("prod", "emr_serverless"),
        adopting,
    ]
    specs += map(running_on, RUNTIMES.values())
    made = (template(blueprint_of(spec), provider=GitHub(repository="acme/data")) for spec in specs)
    of_engine = policy_document(engine_policy(Environment.of(finding), None))
    policies = [*(document for each in made for document in documents(each)), of_engine]
    return {found for document in policies for found in wildcards(document)}


def test_every_wildcard_of_a_bootstrap_is_on_the_list(held: set[Held]) -> None:
    assert {each for each in held if not any(one.covers(*each) for one in WILDCARDS)} == set()


def test_everything_on_the_list_is_rendered_and_has_a_reason(held: set[Held]) -> None:
    assert [one for one in WILDCARDS if not any(one.covers(*each) for each in held)] == []
    assert all(one.why for one in WILDCARDS)


@pytest.mark.parametrize("value", ["*", "arn:aws:kms:*:1:key/*", "arn:aws:kms:eu-west-1:1:alias/*", "…:key/*x"])
def test_a_wildcard_covers_nothing_wider(value: str) -> None:
    one = Wildcard(sid="OwnKey", value="…:key/*", why="")
    assert one.covers("OwnKey", "Resource", "arn:aws:kms:eu-west-1:1:key/*")
    assert not one.covers("OwnKey", "Resource", value)
