import sys
from pathlib import Path

import pytest

from firnline_local.pulumi.language.host import NoInterpreter, Plugin, installed_in, interpreter_of


def test_a_program_runs_with_the_hosts_own_interpreter_unless_it_names_one(tmp_path: Path) -> None:
    own = tmp_path / "venv" / "bin" / "python"
    own.parent.mkdir(parents=True)
    own.touch()
    assert interpreter_of({}, root=tmp_path) == Path(sys.executable)
    assert interpreter_of({"virtualenv": "venv"}, root=tmp_path) == own
    assert interpreter_of({"virtualenv": str(tmp_path / "venv")}, root=Path("/elsewhere")) == own


def test_a_virtual_environment_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoInterpreter, match=r"nowhere(?s:.*)Next: make it"):
        interpreter_of({"virtualenv": "nowhere"}, root=tmp_path)


def test_the_providers_that_installed_packages_need_are_found() -> None:
    installed = installed_in(Path(sys.executable))
    assert {"pulumi", "pulumi_aws"} <= {name.replace("-", "_") for name in installed.distributions}
    assert set(installed.plugins) >= {Plugin("aws", "7.51.1", ""), Plugin("snowflake", "2.22.0", "")}
