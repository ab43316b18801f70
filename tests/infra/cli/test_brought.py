from pathlib import Path

import pytest

from firnline_infra.cli.brought import command_with

EPHEMERAL = Path("/home/eve/.cache/uv/archive-v0/ivgmGypEBGfv8S1R")
UV = {"UV": "/usr/bin/uv"}


def test_uvx_brings_the_extra_of_a_command_in_the_same_version() -> None:
    command = command_with("local", ["demo", "--keep"], prefix=EPHEMERAL, variables=UV)
    assert command == ["/usr/bin/uv", "tool", "run", "firnline[local]==0.1.0", "demo", "--keep"]


@pytest.mark.parametrize(
    ("prefix", "variables"),
    [(EPHEMERAL, {}), (Path("/home/eve/project/.venv"), UV), (Path("/home/eve/.local/share/uv/tools/firnline"), UV)],
    ids=["not by uv", "a project's environment", "an installed tool"],
)
def test_nothing_is_installed_where_nobody_asked_for_it(prefix: Path, variables: dict[str, str]) -> None:
    assert command_with("local", ["demo"], prefix=prefix, variables=variables) is None
