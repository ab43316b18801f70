import re
from pathlib import Path

import pytest

from firnline_infra.pulumi_cli.version import OLDEST, PROVIDED, Version

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("v3.250.0\n", (3, 250, 0)),
        ("3.226.1", (3, 226, 1)),
        ("v3.227.0-dev.0+abc", (3, 227, 0)),
        ("v10.0.12", (10, 0, 12)),
    ],
)
def test_what_the_cli_prints_is_read(text: str, version: tuple[int, int, int]) -> None:
    assert Version.from_text(text) == version


@pytest.mark.parametrize("text", ["", "pulumi", "v3.250", "error: 3.250.0", "v3.250.0 is out"])
def test_other_text_is_no_version(text: str) -> None:
    assert Version.from_text(text) is None


@pytest.mark.parametrize(
    ("text", "will_do"), [("3.226.0", False), ("3.226.1", True), ("3.1000.0", True), ("4.0.0", True)]
)
def test_versions_are_compared_as_numbers(text: str, will_do: bool) -> None:
    version = Version.from_text(text)
    assert version is not None
    assert (version >= OLDEST) is will_do


def test_script_module_and_package_agree_on_the_versions() -> None:
    script = (ROOT / "scripts" / "pulumi-cli").read_text()
    module = (ROOT / "scripts" / "pulumi-build" / "go.mod").read_text()
    assert re.findall(r"^(?:version|oldest)=(\S+)", script, re.MULTILINE) == [str(PROVIDED), str(OLDEST)]
    assert f"require github.com/pulumi/pulumi/pkg/v3 v{PROVIDED}\n" in module
