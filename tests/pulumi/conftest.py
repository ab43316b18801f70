"""The real engine, in a home and on a backend of the test's own."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from firnline_infra.pulumi_cli import PulumiCli, find_cli
from firnline_infra.pulumi_cli.errors import PulumiError
from firnline_local.accounts import WHOLE_OR_NOT_AT_ALL
from firnline_local.pulumi import admission
from firnline_local.pulumi.home import PulumiHome
from firnline_local.running import RunningEnvironment
from tests.pulumi.pausing_plugin import PAUSING
from tests.pulumi.trial_project import TrialProject


@pytest.fixture(scope="session")
def pulumi_binary() -> Path:
    try:
        return find_cli()
    except PulumiError as none:
        pytest.skip(str(none))


@pytest.fixture(scope="session")
def pulumi_home(tmp_path_factory: pytest.TempPathFactory) -> PulumiHome:
    return PulumiHome.write(tmp_path_factory.mktemp("pulumi-home"), PAUSING)


@pytest.fixture
def project(tmp_path: Path, pulumi_binary: Path, pulumi_home: PulumiHome) -> TrialProject:
    """Meets no provider."""
    return make_project(tmp_path, pulumi_binary, pulumi_home, {})


@pytest.fixture
def embedded_project(
    tmp_path: Path, pulumi_binary: Path, pulumi_home: PulumiHome, local_environment: RunningEnvironment
) -> TrialProject:
    """Meets the embedded environment."""
    return make_project(tmp_path, pulumi_binary, pulumi_home, admission.variables(local_environment))


def make_project(folder: Path, binary: Path, home: PulumiHome, variables: Mapping[str, str]) -> TrialProject:
    place, states = folder / "project", folder / "states"
    states.mkdir()
    engine = home.variables(backend=f"{states.as_uri()}?{WHOLE_OR_NOT_AT_ALL}", passphrase="of the tests")
    cli = PulumiCli(binary=home.cli(binary), project=place, variables={**engine, **variables})
    return TrialProject(cli)
