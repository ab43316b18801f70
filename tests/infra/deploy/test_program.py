from pathlib import Path

import pytest
import yaml

from firnline_infra.deploy.errors import NoProgram
from firnline_infra.deploy.program import Program


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


def test_outside_a_clone_there_is_no_program(tmp_path: Path) -> None:
    with pytest.raises(NoProgram, match="in the folder of a clone"):
        Program.committed("dev", tmp_path / "dev.yaml", program=tmp_path / "stacks" / "pulumi")


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
