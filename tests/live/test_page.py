"""The page for the first person with two accounts: what it says to type is what can be typed."""

import re
import shlex
from pathlib import Path

import pytest

from tests.live import plan
from tests.live.__main__ import _parser, main
from tests.live.accounts import missing
from tests.live.whole import Whole

PAGE = (Path(__file__).parents[2] / "docs" / "real-accounts.md").read_text(encoding="utf-8")
TYPED = re.findall(r"^scripts/live([^#\n]*)", PAGE, re.MULTILINE)


@pytest.mark.parametrize("typed", TYPED)
def test_what_the_page_says_to_type_is_within_its_own_budget(typed: str) -> None:
    given = _parser().parse_args(shlex.split(typed))
    if given.dollars is not None:
        assert plan.Budget(given.dollars, given.minutes).refusal() is None


def test_a_run_that_lacks_credentials_has_not_begun(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SNOWFLAKE_USER", raising=False)
    assert main([]) == 0  # it was asked to tell
    assert main(["--dollars", "5"]) == 2
    assert "Missing: SNOWFLAKE_ORGANIZATION_NAME" in capsys.readouterr().out


def test_the_cli_that_a_life_needs_half_way_is_missed_before(tmp_path: Path) -> None:
    nowhere = {"PATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    assert "Pulumi's CLI (scripts/pulumi-cli)" in missing(nowhere, needs_pulumi=True)
    assert not [each for each in missing(nowhere) if "Pulumi" in each]


def test_the_region_of_a_profile_is_the_run_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "config"
    config.write_text("[profile trying]\nregion = eu-north-1\n")
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_PROFILE", "trying")
    begun = Whole.begun(tmp_path / "work", {}, minutes=1, record=None, say=lambda _: None)
    begun.lock.close()
    assert begun.variables["AWS_REGION"] == "eu-north-1"


def test_the_report_is_where_the_page_says_whatever_became_of_the_work(tmp_path: Path) -> None:
    """The folder of a run with --embedded goes with the run."""
    begun = Whole.begun(tmp_path / "work", {}, minutes=1, record=None, say=lambda _: None, reports=tmp_path / "reports")
    begun._report()
    begun.lock.close()
    assert [file.name for file in (tmp_path / "reports").iterdir()] == [f"report-{begun.run.environment}.md"]
