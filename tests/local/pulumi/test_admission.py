from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firnline_local.pulumi.admission import FOLDER, TOKEN, admit, variables
from firnline_local.pulumi.errors import NotAdmitted

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment


def test_a_provider_finds_the_environment_that_its_engine_was_started_for(
    local_environment: "RunningEnvironment",
) -> None:
    assert admit("aws", variables(local_environment)).state == local_environment.state


def test_without_an_environment_no_provider_starts(tmp_path: Path) -> None:
    with pytest.raises(NotAdmitted, match=r"(?s)FIRNLINE_LOCAL_TOKEN are not set.*firnline local up"):
        admit("aws", {})
    with pytest.raises(NotAdmitted, match="No embedded environment runs in"):
        admit("aws", {FOLDER: str(tmp_path), TOKEN: "token"})


def test_an_environment_that_was_started_anew_is_another_one(local_environment: "RunningEnvironment") -> None:
    with pytest.raises(NotAdmitted, match="was started anew"):
        admit("aws", {**variables(local_environment), TOKEN: "of yesterday"})
