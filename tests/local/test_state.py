import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firnline_ingest.errors import ConfigError
from firnline_local.endpoints import Endpoints, Login
from firnline_local.errors import NoEnvironment, StaleEnvironment
from firnline_local.folder import Folder
from firnline_local.state import EnvironmentState


@pytest.fixture
def state() -> EnvironmentState:
    return EnvironmentState(
        name="local",
        pid=4711,
        started_at=datetime(2026, 1, 31, tzinfo=UTC),
        endpoints=Endpoints(
            region="us-east-1",
            aws_account="000000000000",
            kinesis="http://127.0.0.1:1",
            aws="http://127.0.0.1:2",
            runtimes="http://127.0.0.1:4",
            snowflake="https://127.0.0.1:3",
            snowflake_account="FIRNLINE-LOCAL",
            ca_file=Path("/env/ca.pem"),
        ),
        logins={"admin": Login(user="FIRNLINE_ADMIN", role="ACCOUNTADMIN", private_key_file=Path("/env/admin.pem"))},
        engine_config={"version": 1},
    )


def test_another_process_finds_the_state_of_a_running_environment(tmp_path: Path, state: EnvironmentState) -> None:
    folder = Folder(tmp_path / "env")
    with folder.held():
        state.save(folder)
        assert EnvironmentState.find(tmp_path / "env") == state
        assert not list(folder.path.glob("*.draft"))


def test_where_none_runs_it_is_said_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(NoEnvironment, match="firnline local up"):
        EnvironmentState.find(tmp_path)


def test_a_state_file_that_was_left_behind_is_stale(tmp_path: Path, state: EnvironmentState) -> None:
    folder = Folder(tmp_path / "env")
    with folder.held():
        state.save(folder)
        left_behind = folder.state.read_text()
    folder.state.write_text(left_behind)
    with pytest.raises(StaleEnvironment, match="process 4711"):
        EnvironmentState.find(tmp_path / "env")


def test_a_state_file_of_another_version_is_told_from_a_stale_one(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "env")
    with folder.held():
        folder.state.write_text(json.dumps({"name": "local"}))
        with pytest.raises(ConfigError, match=r"state\.json"):
            EnvironmentState.find(tmp_path / "env")
