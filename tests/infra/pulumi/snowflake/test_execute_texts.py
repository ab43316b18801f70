"""Every statement that is run as it is written here: a changed one would be reverted and run again on tables that live."""

from pathlib import Path
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.kinds.storage import external_volumes
from firnline_infra.pulumi.snowflake import IcebergVolume, SnowflakeLanding
from tests.infra.pulumi.conftest import Deploy, SpecOf

GOLDEN = Path(__file__).parent / "golden"


def texts(deployment: Any) -> str:
    return "".join(
        f"-- {each.name}\nexecute: {each.inputs['execute']}\nrevert:  {each.inputs['revert']}\n"
        + (f"query:   {each.inputs['query']}\n\n" if "query" in each.inputs else "\n")
        for each in deployment.of("Execute")
    )


@pytest.mark.parametrize("durability", ["PROTECTED", "EPHEMERAL"])
def test_the_statements_are_the_reviewed_ones(durability: str, deploy: Deploy, spec_of: SpecOf) -> None:
    # The key is skipped: in a volume it is a reference, which only a whole environment resolves. No statement holds it.
    blueprint = blueprint_of(spec_of("prod", durability=durability, aws={"key": {"origin": "skip"}}))

    def program() -> None:
        SnowflakeLanding("landing", blueprint.landing)
        IcebergVolume("volume", next(external_volumes(blueprint.environment)))

    assert texts(deploy(program)) == (GOLDEN / f"{durability.lower()}.sql").read_text(encoding="utf-8")


def test_no_revert_loses_rows_of_what_is_protected(deploy: Deploy, spec_of: SpecOf) -> None:
    deployment = deploy(lambda: SnowflakeLanding("landing", blueprint_of(spec_of("prod")).landing))
    reverts = {each.inputs["revert"] for each in deployment.of("Execute")}
    assert not [each for each in reverts if "DROP" in each or "ERROR_LOGGING" in each or "ROW_TIMESTAMP" in each]
