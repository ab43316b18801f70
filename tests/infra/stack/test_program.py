import os
from pathlib import Path

import pytest
import yaml

from firnline_infra.stack.errors import NoProgram
from firnline_infra.stack.program import PACKAGED, Program


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    program = tmp_path / "stacks" / "pulumi"
    program.mkdir(parents=True)
    (program / "Pulumi.yaml").write_text(
        "name: firnline\nruntime: {name: python, options: {virtualenv: ../../.venv}}\n"
    )
    (program / "__main__.py").write_text("import pulumi\n")
    (tmp_path / "stacks" / "environments").mkdir()
    (tmp_path / "stacks" / "environments" / "dev.yaml").touch()
    return program


def spec_in(clone: Path) -> Path:
    return clone.parent / "environments" / "dev.yaml"


def test_the_committed_settings_name_the_specification(clone: Path) -> None:
    (clone / "Pulumi.dev.yaml").write_text("config: {firnline:spec: ../environments/dev.yaml}")
    assert Program.committed("dev", spec_in(clone), program=clone) == Program(clone, "dev")


def test_missing_settings_are_told_with_what_to_write(clone: Path) -> None:
    with pytest.raises(NoProgram, match=r"firnline:spec: \.\./environments/dev\.yaml"):
        Program.committed("dev", spec_in(clone), program=clone)


def test_settings_that_name_another_specification_are_refused(clone: Path) -> None:
    (clone / "Pulumi.dev.yaml").write_text("config: {firnline:spec: ../environments/other.yaml}")
    with pytest.raises(NoProgram, match="two specifications"):
        Program.committed("dev", spec_in(clone), program=clone)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Returns the repository of a team that has no program of its own: where one would be."""
    (tmp_path / "stacks" / "environments").mkdir(parents=True)
    (tmp_path / "stacks" / "environments" / "dev.yaml").touch()
    return tmp_path / "stacks" / "pulumi"


def test_without_a_program_the_packaged_one_runs_with_settings_that_are_committed(repository: Path) -> None:
    program = Program.committed("dev", spec_in(repository), program=repository)
    assert (program.folder / "__main__.py").read_bytes() == (PACKAGED / "__main__.py").read_bytes()
    project = yaml.safe_load((program.folder / "Pulumi.yaml").read_text())
    assert (project["name"], project["runtime"]) == ("firnline", "python")
    assert (program.folder / project["stackConfigDir"]).resolve() == repository.resolve()
    (settings,) = repository.iterdir()
    named = yaml.safe_load(settings.read_text())["config"]["firnline:spec"]
    assert settings.name == "Pulumi.dev.yaml"
    assert (program.folder / named).resolve() == (repository / named).resolve() == spec_in(repository).resolve()


def test_settings_of_the_packaged_program_are_kept(repository: Path) -> None:
    Program.committed("dev", spec_in(repository), program=repository)
    settings = repository / "Pulumi.dev.yaml"
    settings.write_text(settings.read_text() + "encryptionsalt: v1:x\n")
    Program.committed("dev", spec_in(repository), program=repository)
    assert settings.read_text().endswith("encryptionsalt: v1:x\n")


def test_settings_of_the_packaged_program_that_name_another_specification_are_refused(repository: Path) -> None:
    repository.mkdir()
    (repository / "Pulumi.dev.yaml").write_text("config: {firnline:spec: ../environments/other.yaml}")
    with pytest.raises(NoProgram, match="two specifications"):
        Program.committed("dev", spec_in(repository), program=repository)


def test_a_specification_that_the_packaged_program_would_not_find_is_refused(repository: Path) -> None:
    spec_file = repository / "dev.yaml"
    repository.mkdir()
    spec_file.touch()
    with pytest.raises(NoProgram, match="another folder"):
        Program.committed("dev", spec_file, program=repository)


def test_without_a_program_the_packaged_one_is_copied(tmp_path: Path) -> None:
    program = Program.copied("dev", tmp_path / "dev.yaml", tmp_path / "copy", program=tmp_path / "stacks" / "pulumi")
    assert (program.folder / "__main__.py").read_bytes() == (PACKAGED / "__main__.py").read_bytes()
    assert not (tmp_path / "stacks").exists()


def test_a_copy_has_its_own_settings_and_leaves_the_clone_as_it_was(clone: Path, tmp_path: Path) -> None:
    into = tmp_path / "copy"
    Program.copied("dev", spec_in(clone), into, program=clone)
    settings = into / "Pulumi.dev.yaml"
    settings.write_text(settings.read_text() + "encryptionsalt: v1:x\n")  # as the engine does
    program = Program.copied("dev", spec_in(clone), into, program=clone)
    assert program == Program(into, "dev")
    assert yaml.safe_load(settings.read_text()) == {
        "encryptionsalt": "v1:x",
        "config": {"firnline:spec": str(spec_in(clone).resolve())},
    }
    assert yaml.safe_load((into / "Pulumi.yaml").read_text()) == {"name": "firnline", "runtime": "python"}
    assert not (clone / "Pulumi.dev.yaml").exists()


def test_a_command_that_reads_the_copy_while_another_one_writes_it_finds_it_whole(tmp_path: Path) -> None:
    """Two commands with `--local` at once: a file that is open has the text that it had."""
    spec, into = tmp_path / "dev.yaml", tmp_path / "into"
    Program.copied("dev", spec, into)
    with (into / "Pulumi.yaml").open(encoding="utf-8") as reading:
        Program.copied("dev", spec, into)
        assert os.fstat(reading.fileno()).st_nlink == 0  # another file has its place
        assert yaml.safe_load(reading.read())["name"]
    assert sorted(file.name for file in into.iterdir()) == ["Pulumi.dev.yaml", "Pulumi.yaml", "__main__.py"]
