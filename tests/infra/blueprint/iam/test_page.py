"""The page on permissions is what the data says."""

import re
from pathlib import Path

from firnline_infra.blueprint.iam.key_keeper import (
    KEEP_ACCESS_KEY,
    KEEP_SECRET,
    MAKE_ACCESS_KEY,
    SEE_RUN,
    USE_LEDGERS_KEY,
    USE_SECRETS_KEY,
)
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


def test_every_action_of_who_keeps_the_keys_is_on_it_and_no_other() -> None:
    section = page().partition("## AWS: whoever keeps the keys")[2].partition("\n## ")[0]
    given = (*KEEP_SECRET, *KEEP_ACCESS_KEY, *USE_SECRETS_KEY, *SEE_RUN, *USE_LEDGERS_KEY, *MAKE_ACCESS_KEY)
    assert set(re.findall(r"`([a-z]+:[A-Za-z]+)`", section)) == set(given)


def test_every_resource_feature_and_caller_has_its_words() -> None:
    assert NARROWED.keys() == set(Resource)
    assert FEATURES.keys() == set(Feature) - ALWAYS
    assert CALLERS.keys() == set(Caller)
