"""Tests of what `scripts/image` says where it can't run, and what it asks of the product; the run itself takes minutes,
and root.
"""

import subprocess
from pathlib import Path

import pytest
import yaml

from firnline_infra.artefact import target_of_specification
from firnline_infra.specification import load_spec
from tests.fakes.kubernetes.bundle import PROFILE
from tests.image import tools
from tests.image.__main__ import EMULATION, IMAGE_OF_ACCOUNT, REFERENCE, arguments_of, documented, main
from tests.image.base import HERE, SUITES, Base

DIGEST = "sha256:" + "ab" * 32


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Linux with none of the programs."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(tools, "PROFILE", tmp_path / PROFILE.name)
    monkeypatch.setattr("sys.platform", "linux")


@pytest.mark.usefixtures("bare")
def test_a_machine_without_the_programs_is_told_which_and_how_to_get_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    said = capsys.readouterr().err
    assert all(program in said for program in tools.PROGRAMS)
    assert f"apt-get install {tools.PACKAGES}" in said


@pytest.mark.usefixtures("bare")
def test_who_is_not_root_and_has_no_emulation_is_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    found = tools.missing(emulated=tmp_path / "qemu-aarch64")
    assert found[-2].startswith("root, who")
    assert "qemu-user-static" in found[-1]


def test_another_system_is_told_only_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    assert tools.missing(emulated=EMULATION) == ["Linux"]


@pytest.mark.parametrize("operator", ["kubeflow", "apache"])
@pytest.mark.parametrize(("python", "spark", "architecture"), [("3.13", "4.1.1", "arm64"), ("3.11", "4.0.2", "x86_64")])
def test_the_environment_asks_for_an_image_of_what_was_said(
    tmp_path: Path, operator: str, python: str, spark: str, architecture: str
) -> None:
    asked = ["--operator", operator, "--python", python, "--spark", spark, "--architecture", architecture]
    given = arguments_of(asked)
    file = tmp_path / "build.yaml"
    file.write_text(yaml.safe_dump(documented(given, "123456789012", "eu-central-1", IMAGE_OF_ACCOUNT)))
    target = target_of_specification(load_spec(file))
    assert (target.python, target.spark) == (python, spark)
    assert target.architecture == {"arm64": "aarch64", "x86_64": "x86_64"}[architecture]


def test_the_reference_is_the_one_that_the_command_prints() -> None:
    said = f"docker builds it.\naws.runtime.kubernetes.image: 127.0.0.1:5000/firnline@{DIGEST}\n"
    found = REFERENCE.search(said)
    assert found is not None
    assert found[1] == f"127.0.0.1:5000/firnline@{DIGEST}"


def test_a_base_says_of_itself_that_it_stands_in() -> None:
    assert {Base(python, "aarch64", "4.1.1").name for python in SUITES} == {
        f"localhost/firnline-tests/stands-in-for-apache-spark:4.1.1-{suite}-arm64" for suite, _ in SUITES.values()
    }


def test_the_entry_point_starts_a_driver_as_its_pod_is_asked_to_and_anything_else_as_it_is(tmp_path: Path) -> None:
    """Without tini: the entry point names it by its place in the image."""
    script = (HERE / "entrypoint.sh").read_text().replace("/usr/bin/tini -s --", "echo")
    file = tmp_path / "entrypoint.sh"
    file.write_text(script)

    def said(*arguments: str) -> str:
        variables = {"SPARK_HOME": "/opt/spark", "SPARK_DRIVER_BIND_ADDRESS": "10.0.0.7", "PATH": "/usr/bin:/bin"}
        done = subprocess.run(
            ["bash", str(file), *arguments], capture_output=True, text=True, check=True, env=variables
        )
        return done.stdout.strip()

    driver = said("driver", "--properties-file", "/opt/spark/conf/spark.properties", "local:///opt/firnline/entry.py")
    assert driver.startswith("/opt/spark/bin/spark-submit --conf spark.driver.bindAddress=10.0.0.7 ")
    assert driver.endswith(
        "--deploy-mode client --properties-file /opt/spark/conf/spark.properties local:///opt/firnline/entry.py"
    )
    assert said("echo", "python3") == "python3"
