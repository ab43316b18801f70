"""docs/dynamodb.md: its specification is a good one, and makes the state of the items that it speaks of."""

import re
from pathlib import Path

from firnline_infra.blueprint import blueprint_of
from firnline_infra.specification import parse_spec

PAGE = (Path(__file__).parents[3] / "docs" / "dynamodb.md").read_text(encoding="utf-8")


def test_the_pages_specification_keeps_the_latest_change_of_each_item() -> None:
    (declared,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (latest,) = blueprint_of(parse_spec(declared, "shop.yaml")).landing.latest
    assert str(latest.name) == "SHOP.RAW.ORDER_CHANGES_LATEST"
    assert 'PARTITION BY "ORDER_ID" ORDER BY "CHANGED" DESC NULLS LAST, LENGTH(' in latest.query
    assert latest.query.endswith("WHERE NOT COALESCE(\"EVENT\"::VARCHAR IN ('REMOVE'), FALSE)")
