"""Every format with every kind of bad record through real Spark, at a small scale; scripts/acceptance plays more of it."""

from pathlib import Path

import pytest

from firnline_local.running import RunningEnvironment
from tests.acceptance.scenes.formats import Formats
from tests.acceptance.stage import Stage
from tests.spark.conftest import HANGS_S

pytestmark = [pytest.mark.spark, pytest.mark.timeout(HANGS_S)]


def test_each_record_of_every_format_is_a_row_a_letter_or_left_out_and_who_stops_keeps_nobody_else(
    local_environment: RunningEnvironment, tmp_path: Path
) -> None:
    stage = Stage(local_environment, tmp_path / "stage", "every-format")
    lines = list(Formats(stage, good=20, copies=1).first_run())
    assert {line.what: line.problem for line in lines if line.problem} == {}
    stage.check_receipts()
