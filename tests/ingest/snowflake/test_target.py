"""What of a table's listing asks for more privileges; the rest is tested against the embedded Snowflake."""

from typing import Any, cast

import pytest

from firnline_ingest.snowflake.grants import WantedPrivilege
from firnline_ingest.snowflake.target import TargetCatalog

TABLE = ("LAKE", "RAW", "ORDERS")


def wanted_where(rows: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> list[WantedPrivilege]:
    asked: list[str] = []
    monkeypatch.setattr(TargetCatalog, "_rows", lambda _, statement: asked.append(statement) or rows)
    found = TargetCatalog(cast("Any", None))._on_volume(TABLE)
    assert asked == ["""SHOW ICEBERG TABLES LIKE 'ORDERS' IN SCHEMA "LAKE"."RAW\""""]
    return found


def test_an_iceberg_tables_volume_has_to_be_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"name": "ORDERS", "external_volume_name": "Lake"}]
    assert wanted_where(rows, monkeypatch) == [WantedPrivilege("USAGE", "EXTERNAL VOLUME", ("Lake",))]


@pytest.mark.parametrize("volume", ["SNOWFLAKE_MANAGED", "", None])
def test_snowflakes_own_storage_needs_nothing(volume: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert wanted_where([{"name": "ORDERS", "external_volume_name": volume}], monkeypatch) == []


def test_a_table_that_is_listed_no_longer_asks_for_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wanted_where([], monkeypatch) == []


@pytest.mark.parametrize(("name", "pattern"), [("A_B%", r"'A\\_B\\%'"), ("it's", "'it''s'"), ("a\\b", r"'a\\\\b'")])
def test_a_table_is_looked_for_by_its_exact_name(name: str, pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(TargetCatalog, "_rows", lambda _, statement: asked.append(statement) or [{"name": name}])
    assert TargetCatalog(cast("Any", None))._find("TABLES", name, '"LAKE"."RAW"') == {"name": name}
    assert asked == [f'SHOW TABLES LIKE {pattern} IN SCHEMA "LAKE"."RAW"']
