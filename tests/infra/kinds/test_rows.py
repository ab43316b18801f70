"""Each row that is rendered is a kind's, and each kind's row is rendered: nobody else decides what exists."""

from collections.abc import Iterator

import pytest

from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.kinds import KINDS, layers
from firnline_infra.kinds.buckets import OBJECT
from firnline_infra.kinds.keys_and_secrets import ALIAS, KEY
from firnline_infra.kinds.resource import Component, Resource
from tests.infra.blueprint.test_every_field import samples
from tests.infra.specifications import smallest

NO_ROWS = {KEY, ALIAS, OBJECT}
"""The bootstrap makes the environment's key, and renderers write the engine's document."""
MAKES_IMAGES = {
    "trust": "irsa",
    "oidc_provider": "oidc.example.com/id/A",
    "namespace": "ingest",
    "service_account": "engine",
}
SAMPLES = [*samples(), smallest(aws={"runtime": {**MAKES_IMAGES, "kubernetes": {}}})]


def rendered(blueprint: Blueprint) -> Iterator[Resource]:
    components: list[Component] = []
    for layer in (layers.foundation, layers.warehouse, layers.runtime):
        components += layer(blueprint)
    return (row for each in components for row in each.resources() if row.type.startswith("aws_"))


@pytest.mark.parametrize("sample", range(len(SAMPLES)))
def test_a_row_is_rendered_and_a_kinds(sample: int) -> None:
    blueprint = blueprint_of(SAMPLES[sample])
    of_kinds = {(row.type, row.name): sorted(row.arguments) for kind in KINDS for row in kind.all_rows(blueprint)}
    assert {(row.type, row.name): sorted(row.arguments) for row in rendered(blueprint)} == of_kinds


def test_each_kind_has_a_row_in_one_of_the_samples() -> None:
    """Else nothing above is about it."""
    there = {row.type for spec in SAMPLES for row in rendered(blueprint_of(spec))}
    assert {kind for kind in KINDS if kind.terraform_type not in there} == NO_ROWS
