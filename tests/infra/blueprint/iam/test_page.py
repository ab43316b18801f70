"""The page on permissions is what the data says."""

from pathlib import Path

from firnline_infra.blueprint.iam.page import page
from firnline_infra.blueprint.iam.page_text import CALLERS, FEATURES, NARROWED
from firnline_ingest.permissions import ALWAYS, PERMISSIONS, Caller, Feature, Resource
from firnline_ingest.permissions.snowflake import PRIVILEGES

COMMITTED = Path(__file__).parents[4] / "docs" / "permissions.md"


def test_the_committed_page_is_what_is_rendered() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == page(), (
        "python -m firnline_infra.blueprint.iam.page > docs/permissions.md"
    )


def test_every_permission_is_on_it_with_its_reason() -> None:
    lines = page().splitlines()
    for permission in PERMISSIONS:
        assert any(f"`{permission.action}`" in line and permission.why in line for line in lines), permission
    for privilege in PRIVILEGES:
        assert any(f"`{privilege.privilege}`" in line and privilege.why in line for line in lines), privilege


def test_every_resource_feature_and_caller_has_its_words() -> None:
    assert NARROWED.keys() == set(Resource)
    assert FEATURES.keys() == set(Feature) - ALWAYS
    assert CALLERS.keys() == set(Caller)
