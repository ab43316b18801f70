"""Comparisons of what this repository's environments can't show: policies on tables, and what was made again."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.kinds.asking import made_again
from firnline_infra.kinds.comparison import Subject
from firnline_infra.kinds.keys_and_secrets import SECRET
from firnline_infra.kinds.snowflake_objects import policies_of_table
from firnline_infra.specification import load_spec
from tests.infra.runtimes.environments import ENVIRONMENTS

SPEC = load_spec(ENVIRONMENTS / "dev.yaml")
MADE = datetime(2026, 11, 28, 12, tzinfo=UTC)


def subject(rows: list[dict[str, Any]] | None = None, made_at: datetime | None = None) -> Subject:
    blueprint = blueprint_of(SPEC)

    def answer(statement: str) -> list[dict[str, Any]]:
        assert statement.startswith(
            ("USE WAREHOUSE", "SELECT * FROM TABLE(SNOWFLAKE.INFORMATION_SCHEMA.POLICY_REFERENCES(")
        )
        return [] if statement.startswith("USE") else rows or []

    return Subject(
        wanted=blueprint.landing.tables[0],
        blueprint=blueprint,
        clients=dict[str, Any]().__getitem__,
        rows=answer,
        made_at=lambda token, name: made_at,
    )


@pytest.mark.parametrize(
    ("kind", "column", "path"),
    [
        ("ROW_ACCESS_POLICY", None, "row access policy"),
        ("MASKING_POLICY", "CARD", "masking policy of column CARD"),
        ("STORAGE_LIFECYCLE_POLICY", None, "storage lifecycle policy"),
        ("AGGREGATION_POLICY", None, "aggregation policy"),
    ],
)
def test_a_policy_on_a_table_is_a_finding(kind: str, column: str | None, path: str) -> None:
    row = {
        "policy_db": "GOV",
        "policy_schema": "P",
        "policy_name": "HIDES",
        "policy_kind": kind,
        "ref_column_name": column,
    }
    (found,) = policies_of_table(subject([row]))
    assert (found.path, found.expected) == (path, "nothing")
    assert found.found.startswith("GOV.P.HIDES: ")


def test_a_table_without_a_policy_has_no_finding() -> None:
    assert list(policies_of_table(subject())) == []


@pytest.mark.parametrize(
    ("made_at", "found"),
    [
        (MADE, 0),
        (MADE - timedelta(minutes=4), 0),
        (MADE - timedelta(hours=1), 1),
        (MADE + timedelta(days=9), 0),
        (None, 0),
    ],
)
def test_what_is_younger_than_the_stack_says_was_made_again(made_at: datetime | None, found: int) -> None:
    """An import has a later time than the object; a clock may be some minutes off; Terraform says none."""
    find = made_again("type", lambda _: MADE)
    assert len(list(find(subject(made_at=made_at)))) == found


def test_a_copy_of_a_secret_in_another_account_is_a_finding() -> None:
    copy = "arn:aws:secretsmanager:eu-central-1:999988887777:secret:theirs-AbCdEf"

    class Secrets:
        def describe_secret(self, **_: Any) -> dict[str, Any]:
            return {
                "ARN": "arn",
                "CrossAccountReplicas": [{"ReplicaSecretARN": copy, "ReplicationStatus": "InSync"}],
            }

    blueprint = blueprint_of(SPEC)
    wanted = next(iter(SECRET.instances(blueprint)))
    asked = Subject(
        wanted=wanted,
        blueprint=blueprint,
        clients={"secretsmanager": Secrets()}.__getitem__,
        rows=lambda _: [],
    )
    comparison = next(each for each in SECRET.comparisons if each.actions == "DescribeSecret")
    (found,) = [each for each in comparison.find(asked) if each.path.startswith("replica")]
    assert (found.path, found.found) == (f"replica {copy}", "InSync")
    assert "firnline keys rotate" in found.next_step
