from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firnline_infra.accounts.real import module_of
from firnline_infra.cli.main import firnline
from firnline_ingest.errors import UsageError

DEV = Path(__file__).parents[3] / "stacks" / "environments" / "dev.yaml"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(firnline, ["terraform", str(DEV), *arguments])


def test_a_module_without_a_folder_is_written_where_up_looks_for_it() -> None:
    result = run()
    assert result.exit_code == 0, result.output
    assert module_of("dev") == Path("stacks/terraform/dev")
    assert "runs Terraform or OpenTofu here; without stacks/terraform/dev it runs Pulumi." in result.output
    assert "runs Terraform" not in run().output
    assert "runs Terraform" not in run("--into", "elsewhere").output
    assert run("--check").exit_code == 0


def test_a_module_to_publish_needs_a_folder_and_says_so() -> None:
    error = run("--layout", "registry", "--check").exception
    assert isinstance(error, UsageError)
    assert "--into terraform-aws-firnline-dev" in str(error)
