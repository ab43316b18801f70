"""The configuration of the engine that runs is held against the one that it is given in these accounts."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from firnline_infra.blueprint.engine_config import document_hash
from firnline_infra.drift.context import DriftContext
from firnline_infra.drift.engine import configuration_hash
from tests.ingest.config.test_model import document


def context(here: dict[str, Any], outputs: dict[str, Any]) -> DriftContext:
    accounts = SimpleNamespace(engine_config=lambda of_stack, spec: {**of_stack, **here})
    return cast(
        "DriftContext", SimpleNamespace(accounts=accounts, outputs=outputs, environment=SimpleNamespace(spec=None))
    )


def test_an_engine_that_was_given_endpoints_of_its_place_has_no_other_configuration() -> None:
    made = document()
    outputs = {"engine_config": made, "engine_config_hash": document_hash(made)}
    endpoints = {"aws": {**made["aws"], "endpoints": {"kinesis": "http://127.0.0.1:4566"}}}
    assert configuration_hash(context({}, outputs)) == document_hash(made)
    assert configuration_hash(context(endpoints, outputs)) == document_hash({**made, **endpoints})
    assert document_hash(made) != document_hash({**made, **endpoints})


@pytest.mark.parametrize("outputs", [{}, {"engine_config_hash": "0ee1"}])
def test_a_stack_that_gives_no_document_is_believed_its_hash(outputs: dict[str, Any]) -> None:
    assert configuration_hash(context({}, outputs)) == outputs.get("engine_config_hash", "")
