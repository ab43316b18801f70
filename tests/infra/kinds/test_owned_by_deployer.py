"""Tests of what the role that deploys owns: its tables are its own, and what acts with its rights for others is
nobody's to make.
"""

from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.snowflake import SnowflakeRole
from firnline_infra.kinds.comparison import Difference, Subject
from firnline_infra.kinds.snowflake_roles import given_to_role
from firnline_infra.specification import load_spec
from tests.infra.runtimes.environments import ENVIRONMENTS

SPEC = load_spec(ENVIRONMENTS / "dev.yaml")
BLUEPRINT = blueprint_of(SPEC)


def owned(kind: str, name: str) -> list[Difference]:
    role = BLUEPRINT.names.deploy_role
    grant = {
        "privilege": "OWNERSHIP",
        "granted_on": kind,
        "name": name,
        "granted_to": "ROLE",
        "grantee_name": role.name,
        "grant_option": "true",
        "granted_by": role.name,
    }

    def rows(statement: str) -> list[dict[str, Any]]:
        return [grant] if statement == f"SHOW GRANTS TO ROLE {role.sql}" else []

    wanted = SnowflakeRole(name=role)
    subject = Subject(wanted=wanted, blueprint=BLUEPRINT, clients={}.__getitem__, rows=rows)
    return list(given_to_role(subject))


@pytest.mark.parametrize("kind", ["PROCEDURE", "EXTERNAL_FUNCTION", "VIEW", "MATERIALIZED_VIEW", "TASK", "SHARE"])
def test_what_acts_with_the_deployers_rights_is_a_finding(kind: str) -> None:
    """A procedure that executes as its owner lets whoever may call it be the role; a view shows others the records."""
    (found,) = owned(kind, "FIRNLINE_DEV.RAW.BACK_DOOR")
    words = kind.replace("_", " ")
    assert found.path == f"OWNERSHIP on {words} FIRNLINE_DEV.RAW.BACK_DOOR"
    assert found.next_step.endswith(f"DROP {words} FIRNLINE_DEV.RAW.BACK_DOOR")


@pytest.mark.parametrize("kind", ["TABLE", "ICEBERG_TABLE", "INTERACTIVE TABLE", "PIPE", "STAGE", "NETWORK_POLICY"])
def test_what_it_makes_is_its_own(kind: str) -> None:
    assert owned(kind, "FIRNLINE_DEV.RAW.ANOTHER") == []
