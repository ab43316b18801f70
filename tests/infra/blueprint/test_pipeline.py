"""Tests of what the blueprint grants is what is declared, with a reason for each."""

import pytest

from docs.tools.permissions.privileges import READER_PRIVILEGES
from firnline_infra.blueprint.pipeline import grants
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.names import Principal
from firnline_infra.specification.pipeline import Pipeline
from firnline_infra.specification.target_tables import TargetTable
from firnline_ingest.permissions.snowflake import Need, required_privileges

INGEST = Principal(user=Identifier("ENGINE"), role=Identifier("INGEST"))
READER = Principal(user=Identifier("AUDITOR"), role=Identifier("READER"))
PIPE = {"name": "loads", "select": "$1:id::NUMBER AS ID"}


def granted(principal: Principal, **fields: object) -> set[tuple[str, str]]:
    """Privilege and kind; a table is one whatever holds its rows."""
    document = {"stream": "orders", "database": "lake", "schema": "raw", **fields}
    return {
        (privilege, "TABLE" if grant.on.endswith("TABLE") else str(grant.on))
        for grant in grants(TargetTable(Pipeline.model_validate(document)), ingest=INGEST, reader=READER)
        if grant.role == principal.role
        for privilege in grant.privileges
    }


@pytest.mark.parametrize(
    ("fields", "needs"),
    [
        ({"schema_evolution": False}, []),
        ({}, [Need.EVOLUTION]),
        ({"schema_evolution": False, "pipe": PIPE}, [Need.CUSTOM_PIPE]),
        ({"table_kind": "iceberg", "external_volume": "lake"}, [Need.EVOLUTION, Need.ICEBERG]),
        ({"table_kind": "interactive", "cluster_by": ["id"]}, []),
        ({"file_replay": True}, [Need.EVOLUTION, Need.FILES]),
    ],
)
def test_the_ingest_role_gets_exactly_what_the_engine_declares(fields: dict[str, object], needs: list[Need]) -> None:
    assert granted(INGEST, **fields) == {(one.privilege, one.on) for one in required_privileges(*needs)}


@pytest.mark.parametrize("error_logging", [True, False])
def test_the_reader_gets_what_is_declared_for_it(error_logging: bool) -> None:
    needs = {Need.ALWAYS, *([Need.ERROR_LOGGING] if error_logging else [])}
    declared = {(one.privilege, one.on) for one in READER_PRIVILEGES if one.need in needs}
    assert granted(READER, error_logging=error_logging) == declared
