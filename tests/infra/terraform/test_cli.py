"""Tests of which CLI is taken, and what is said where there is none, it is too old, or it fails."""

from pathlib import Path

import pytest

from firnline_infra.terraform import cli as terraform_cli
from firnline_infra.terraform.cli import CHOSEN, TerraformCli, find_terraform, provided_at
from firnline_infra.terraform.errors import (
    OLDEST,
    TerraformFailed,
    TerraformMissing,
    TerraformSilent,
    TerraformTooOld,
)


def cli(folder: Path, name: str, script: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    binary = folder / name
    binary.write_text(f"#!/bin/sh\n{script}\n")
    binary.chmod(0o755)
    return binary


def of_version(folder: Path, name: str, version: str) -> Path:
    return cli(folder, name, f"""echo '{{"terraform_version": "{version}"}}'""")


def around(folder: Path) -> dict[str, str]:
    return {"PATH": str(folder / "bin"), "XDG_CACHE_HOME": str(folder / "cache")}


def test_the_first_that_is_new_enough_is_taken(tmp_path: Path) -> None:
    of_version(tmp_path / "bin", "terraform", "1.9.8")
    newer = of_version(tmp_path / "bin", "tofu", str(OLDEST))
    assert find_terraform(around(tmp_path)) == newer


def test_one_that_was_provided_is_taken_where_the_path_has_none_or_an_old_one(tmp_path: Path) -> None:
    provided = provided_at(around(tmp_path))
    of_version(provided.parent, "tofu", "1.10.6")
    of_version(tmp_path / "bin", "terraform", "1.5.7")
    assert find_terraform(around(tmp_path)) == provided


def test_one_that_is_chosen_is_taken_and_no_other(tmp_path: Path) -> None:
    of_version(tmp_path / "bin", "terraform", "1.11.4")
    tofu = of_version(tmp_path / "bin", "tofu", "1.10.6")
    assert find_terraform({**around(tmp_path), CHOSEN: "tofu"}) == tofu
    tofu.unlink()
    with pytest.raises(TerraformMissing, match="no tofu, which TERRAFORM_BINARY_NAME names"):
        find_terraform({**around(tmp_path), CHOSEN: "tofu"})


def test_where_there_is_none_it_is_said_how_to_have_one(tmp_path: Path) -> None:
    with pytest.raises(TerraformMissing, match="scripts/terraform-cli"):
        find_terraform(around(tmp_path))


def test_one_that_does_not_answer_is_named_and_no_other_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = cli(tmp_path / "bin", "terraform", "exec sleep 60")
    of_version(tmp_path / "bin", "tofu", "1.10.6")
    monkeypatch.setattr(terraform_cli, "ANSWERS_WITHIN_S", 0.1)
    with pytest.raises(TerraformSilent) as refused:
        find_terraform(around(tmp_path))
    assert refused.value.what == f"{silent} did not answer `terraform version -json` for 0 s."
    assert "TERRAFORM_BINARY_NAME" in refused.value.next_step


@pytest.mark.parametrize("printed", ["1.5.7", "no version"])
def test_one_that_is_too_old_is_named_with_its_version(printed: str, tmp_path: Path) -> None:
    of_version(tmp_path / "bin", "terraform", printed)
    with pytest.raises(TerraformTooOld, match=r"1\.10\.0 is the oldest"):
        find_terraform(around(tmp_path))


@pytest.mark.parametrize(
    ("printed", "next_step"),
    [
        ("Error: Failed to query available provider packages", "registry of providers"),
        ("Error: Error acquiring the state lock", "force-unlock"),
        ("Error: Error acquiring the state lock\n│ \n│ Unsupported state file\n│ format: version 5", "update the CLI"),
        (
            "Error acquiring the state lock: S3: PutObject, https response error StatusCode: 403",
            "log in as who deploys",
        ),
        ("Error: Inconsistent dependency lock file", "init -upgrade"),
        ("Error: Instance cannot be destroyed ... lifecycle.prevent_destroy set", "durability: EPHEMERAL"),
        ("Error: Unsupported argument", "run the same command again"),
    ],
)
def test_a_command_that_fails_says_what_it_printed_and_what_to_do(printed: str, next_step: str, tmp_path: Path) -> None:
    binary = cli(tmp_path, "terraform", f"echo '{printed}'; exit 1")
    with pytest.raises(TerraformFailed) as failed:
        TerraformCli(binary, tmp_path, {}).apply()
    assert all(line in str(failed.value) for line in printed.splitlines())
    assert next_step in str(failed.value)


def test_changes_are_told_from_a_failure(tmp_path: Path) -> None:
    for status, expected in ((0, False), (2, True)):
        assert TerraformCli(cli(tmp_path, "terraform", f"exit {status}"), tmp_path, {}).has_changes() is expected


def test_an_import_says_whether_there_was_something(tmp_path: Path) -> None:
    absent = cli(tmp_path, "terraform", "echo 'Error: Cannot import non-existent remote object'; exit 1")
    assert not TerraformCli(absent, tmp_path, {}).import_("aws_kinesis_stream.a", "a")
    with pytest.raises(TerraformFailed, match="ExpiredToken"):
        TerraformCli(cli(tmp_path, "terraform", "echo ExpiredToken; exit 1"), tmp_path, {}).import_("a.b", "c")
    assert TerraformCli(cli(tmp_path, "terraform", "exit 0"), tmp_path, {}).import_("a.b", "c")
