"""The page on permissions is what the data says."""

import re
from functools import cache
from pathlib import Path

from docs.tools.permissions import about as abouts
from docs.tools.permissions.example import BLUEPRINTS
from docs.tools.permissions.page import page as rendered
from docs.tools.permissions.text import CALLERS, FEATURES, NARROWED
from firnline_infra.blueprint.account_privileges import ACCOUNT_PRIVILEGES, account_privileges
from firnline_infra.render.bootstrap.boundary import boundary_statements
from firnline_infra.render.bootstrap.dead_letter_replayer import dead_letter_replayer_statements
from firnline_infra.render.bootstrap.deployer import deployer_statements, previewer_statements
from firnline_infra.render.bootstrap.key_keeper import key_keeper_statements
from firnline_ingest.permissions import ALWAYS, PERMISSIONS, Caller, Feature, Resource
from firnline_ingest.permissions.snowflake import PRIVILEGES

page = cache(rendered)
COMMITTED = Path(__file__).parents[2] / "docs" / "permissions.md"


def test_the_committed_page_is_what_is_rendered() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == page(), "python -m docs.tools.permissions > docs/permissions.md"


def test_every_permission_is_on_it_with_its_reason() -> None:
    lines = page().splitlines()
    for permission in PERMISSIONS:
        assert any(f"`{permission.action}`" in line and permission.why in line for line in lines), permission
    for privilege in PRIVILEGES:
        assert any(f"`{privilege.privilege}`" in line and privilege.why in line for line in lines), privilege


def test_every_statement_of_a_bootstrap_is_on_it_with_what_it_is_about() -> None:
    for sid, about in (*abouts.DEPLOYER.items(), *abouts.KEY_KEEPER.items(), *abouts.LETTER_REPLAYER.items()):
        assert f"#### {sid}\n\n{about}\nOn `" in page(), sid


def test_every_action_of_a_bootstrap_is_on_it() -> None:
    for title, policy in {
        "### The deployer": deployer_statements,
        "### The previewer": previewer_statements,
        "## AWS: the key administrator": key_keeper_statements,
        "## AWS: replaying dead letters": dead_letter_replayer_statements,
        "## AWS: the permissions boundary": boundary_statements,
    }.items():
        given = {action for each in BLUEPRINTS for statement in policy(each) for action in statement.actions}
        assert in_tables_below(title) == given, title


def in_tables_below(title: str) -> set[str]:
    section = re.split(r"\n##+ ", page().partition(f"\n{title}\n")[2].replace("\n#### ", "\n"))[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return set(re.findall(r"`([a-z0-9-]+:[A-Za-z0-9]+)`", "\n".join(rows)))


def test_every_account_privilege_is_on_it_with_the_field_that_asks_for_it() -> None:
    lines = page().splitlines()
    blueprint, *_ = BLUEPRINTS
    assert len(account_privileges(blueprint)) == len(ACCOUNT_PRIVILEGES)
    for one in ACCOUNT_PRIVILEGES:
        assert any(f"`{one.privilege}` | {one.when} |" in line for line in lines), one
        assert one.when == "always" or one.when.strip("`") in type(blueprint.environment.snowflake).model_fields


def test_every_link_within_it_leads_somewhere() -> None:
    titles = re.findall(r"^#+ (.+)$", page(), re.MULTILINE)
    anchors = {re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in titles}
    links = re.findall(r"\]\(#([^)]+)\)", page())
    assert links
    assert set(links) <= anchors


def test_every_resource_feature_and_caller_has_its_words() -> None:
    assert NARROWED.keys() == set(Resource)
    assert FEATURES.keys() == set(Feature) - ALWAYS
    assert CALLERS.keys() == set(Caller)
