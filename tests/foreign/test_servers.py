"""The pins of the foreign servers: each one exact, with its checksum, and from whatever registry the machine has."""

import json
import re
from pathlib import Path

import pytest

from tests.foreign.servers import PINS, installed

PAGE = Path(__file__).parents[2] / "docs" / "design" / "foreign-servers.md"
LOCKED = {
    name.rpartition("node_modules/")[2]: package
    for name, package in json.loads(PINS.read_text())["packages"].items()
    if name
}


def test_every_package_is_pinned_by_its_checksum_and_no_registry_is_named() -> None:
    assert {name for name, package in LOCKED.items() if not re.match(r"sha512-", package.get("integrity", ""))} == set()
    assert {name for name, package in LOCKED.items() if "resolved" in package} == set()


def test_the_page_says_the_version_and_the_licence_of_each_server() -> None:
    servers = json.loads((PINS.parent / "package.json").read_text())["dependencies"]
    lines = PAGE.read_text().splitlines()
    for name, version in servers.items():
        facts = f"| {version} | {LOCKED[name]['license']} |"
        assert any(name in line and facts in line for line in lines), (name, facts)


def test_without_node_or_without_the_packages_a_test_is_skipped_and_in_ci_it_fails(tmp_path: Path) -> None:
    nothing = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    with pytest.raises(pytest.skip.Exception, match="Node is missing: scripts/foreign-servers"):
        installed(nothing)
    with pytest.raises(pytest.fail.Exception, match="Node is missing"):
        installed({**nothing, "CI": "true"})
