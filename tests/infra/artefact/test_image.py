"""The image: what a builder is asked, with which files beside the Containerfile, and what is said where there is none.

The builders are scripts that write down what they were asked, as no registry and no daemon is here.
"""

import base64
import json
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from firnline_infra.artefact import BuiltArtefact, target_of
from firnline_infra.artefact.errors import ImageFailed, NoBuilder
from firnline_infra.artefact.image import MIRRORS, build_image, hadoop_of_spark
from firnline_infra.artefact.repository import image_in_repository, tag_of
from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.s3a import jars_for, known_hadoops
from tests.infra.artefact.conftest import Wheels
from tests.infra.blueprint.test_runtime import ON_KUBERNETES, spec_of
from tests.infra.runtimes.services.conftest import StubbedAws

NAME = "registry:5000/data/firnline:1"
DIGEST = "sha256:" + "ab" * 32
Asked = Callable[[], list[list[str]]]


@pytest.fixture
def built(wheels: Wheels, tmp_path: Path) -> BuiltArtefact:
    wheels.add("orders", {"orders/a.py": b"a"})
    return wheels.built(tmp_path / "made")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The PATH, and nothing else; S3A's jars are empty files."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    for name in MIRRORS:
        monkeypatch.delenv(name, raising=False)

    def provide(hadoop: str, into: Path) -> None:
        into.mkdir(exist_ok=True)
        for jar in jars_for(hadoop):
            (into / jar.name).touch()

    monkeypatch.setattr("firnline_infra.artefact.image.provide", provide)
    return folder


def builder(programs: Path, name: str, *, status: int = 0) -> Asked:
    log, program = programs / f"{name}.log", programs / name
    program.write_text(
        "#!/usr/bin/python3\nimport json, sys\n"
        f"if 'login' in sys.argv: open({str(log.with_suffix('.given'))!r}, 'w').write(sys.stdin.read())\n"
        f"open({str(log)!r}, 'a').write(json.dumps(sys.argv[1:]) + chr(10))\n"
        f"if '--digestfile' in sys.argv: open(sys.argv[sys.argv.index('--digestfile') + 1], 'w').write({DIGEST!r})\n"
        f"if 'inspect' in sys.argv: print('registry/x@{DIGEST}')\n"
        f"if {status}: print('no such base', file=sys.stderr)\nsys.exit({status})\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return lambda: [json.loads(line) for line in log.read_text().splitlines()]


@pytest.mark.parametrize("name", ["docker", "podman", "buildah"])
def test_the_builder_that_is_there_builds_for_the_clusters_processors_and_gives_the_digest(
    built: BuiltArtefact, programs: Path, name: str
) -> None:
    asked = builder(programs, name)
    assert build_image(built, NAME, push=True, say=lambda _: None) == f"registry:5000/data/firnline@{DIGEST}"
    first, second, *_ = asked()
    assert first[:5] == ["build", "--platform", "linux/arm64", "--tag", NAME]
    assert first[-1] == str(built.folder)
    assert second[0] == "push"
    assert second[-1] == NAME


def test_everything_that_the_containerfile_takes_from_the_folder_is_in_it(built: BuiltArtefact, programs: Path) -> None:
    builder(programs, "podman")
    assert build_image(built, NAME, say=lambda _: None) == NAME
    text = (built.folder / "Containerfile").read_text()
    assert "@" not in re.sub(r"#.*", "", text)
    for source in re.findall(r"^(?:COPY|ADD) (?!--from)(\S+)", text, re.M):
        assert (built.folder / source).exists(), source
    assert (built.folder / "jars" / f"hadoop-aws-{hadoop_of_spark('4.1.1')}.jar").exists()


def test_the_python_and_the_jars_are_there_before_the_check_and_the_user_is_a_number(built: BuiltArtefact) -> None:
    last = (built.folder / "Containerfile").read_text().rpartition("FROM ")[2]
    parts = ["/usr/local/bin/python3.13", "COPY jars/", "ADD firnline-engine", "environment/bin/python -c", "USER 185"]
    parts.insert(3, "python -m compileall -q /opt/firnline/environment/packages;")
    assert sorted(parts, key=last.index) == parts
    assert re.findall(r"^USER (\S+)$", last, re.M)[-1] == "185"


def test_a_registry_shows_what_the_image_is(built: BuiltArtefact) -> None:
    """By the labels of the OCI's image specification, in the image that is kept."""
    last = (built.folder / "Containerfile").read_text().rpartition("FROM ")[2]
    labels = dict(re.findall(r"org\.opencontainers\.image\.(\w+)=\"([^\"]*)\"", last))
    assert labels["version"] == built.manifest.version
    assert built.hash.startswith(labels["revision"])
    assert labels["licenses"] == "Apache-2.0"
    assert labels.keys() >= {"title", "description", "source", "documentation"}


def test_the_user_of_the_pods_can_read_what_is_copied_whoever_builds(built: BuiltArtefact, programs: Path) -> None:
    builder(programs, "podman")
    before = os.umask(0o077)
    try:
        built.entry.chmod(0o600)
        build_image(built, NAME, say=lambda _: None)
    finally:
        os.umask(before)
    text = (built.folder / "Containerfile").read_text()
    copied = [built.folder / name for name in re.findall(r"^COPY (?!--from)(\S+)", text, re.M)]
    files = [file for each in copied for file in (each.iterdir() if each.is_dir() else [each])]
    assert len(files) > 2
    assert {oct(stat.S_IMODE(file.stat().st_mode)) for file in files} == {"0o644"}
    as_the_user = text.rpartition("USER 185")[2]
    assert "test -r /opt/spark/jars/hadoop-aws" in as_the_user
    assert "environment/bin/python -c" in as_the_user


def test_without_a_builder_the_error_has_the_command_for_a_machine_with_one(
    built: BuiltArtefact, programs: Path
) -> None:
    with pytest.raises(NoBuilder, match="none of docker, podman, buildah") as none:
        build_image(built, NAME, base="mirror/spark:4.1.1", say=lambda _: None)
    assert "docker build --platform linux/arm64" in none.value.next_step
    assert "--build-arg BASE=mirror/spark:4.1.1" in none.value.next_step


def test_what_a_builder_says_is_shown(built: BuiltArtefact, programs: Path) -> None:
    builder(programs, "docker", status=125)
    with pytest.raises(ImageFailed, match=r"docker build of .* ended with status 125:\n  no such base"):
        build_image(built, NAME, say=lambda _: None)


def test_a_docker_without_a_daemon_gives_way_to_another_builder(built: BuiltArtefact, programs: Path) -> None:
    builder(programs, "docker", status=1)
    asked = builder(programs, "buildah")
    assert build_image(built, NAME, say=lambda _: None) == NAME
    assert [each[0] for each in asked()] == ["build"]


def test_a_docker_with_a_daemon_goes_before_the_others(built: BuiltArtefact, programs: Path) -> None:
    asked, _ = builder(programs, "docker"), builder(programs, "podman")
    build_image(built, NAME, say=lambda _: None)
    assert [each[0] for each in asked()] == ["version", "build"]
    assert not (programs / "podman.log").exists()


def test_an_index_and_a_mirror_reach_the_stage_that_fetches_python_and_no_argument_shows_them(
    built: BuiltArtefact, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = builder(programs, "podman")
    build_image(built, NAME, say=lambda _: None)
    monkeypatch.setenv("PIP_INDEX_URL", "https://ci:hidden@mirror/simple")
    monkeypatch.setenv("UV_PYTHON_INSTALL_MIRROR", "https://mirror/python")
    build_image(built, NAME, say=lambda _: None)
    without, given = asked()
    assert "--build-arg" not in without
    assert given[-5:-1] == ["--build-arg", "PIP_INDEX_URL", "--build-arg", "UV_PYTHON_INSTALL_MIRROR"]
    first, last = (built.folder / "Containerfile").read_text().split("FROM ")[1:]
    assert re.findall(r"^ARG (\w+)$", first, re.M) == list(MIRRORS)
    assert "ARG" not in last


@pytest.mark.parametrize("spark", ["4.0.2", "4.1.1", "4.3.0", "4.9.0"])
def test_every_spark_has_a_list_of_jars(spark: str) -> None:
    assert target_of(python="3.13", architecture="arm64", spark=spark)
    assert hadoop_of_spark(spark) in known_hadoops()


SPEC = spec_of({**ON_KUBERNETES, "kubernetes": {}})
HOST = "123456789012.dkr.ecr.eu-central-1.amazonaws.com"


def test_an_image_that_is_in_the_repository_is_neither_built_nor_pushed(built: BuiltArtefact) -> None:
    aws, asked = StubbedAws(), {"repositoryName": "firnline-dev", "imageIds": [{"imageTag": tag_of(built.manifest)}]}
    aws.answers("ecr", "describe_images", {"imageDetails": [{"imageDigest": DIGEST}]}, asked)
    found = image_in_repository(SPEC, aws.client("ecr"), built, lambda _: None)
    assert found == f"{HOST}/firnline-dev@{DIGEST}"
    aws.check()


@pytest.mark.parametrize("name", ["docker", "podman", "buildah"])
def test_an_image_that_is_not_is_pushed_by_its_artefacts_hash_with_a_password_that_no_argument_shows(
    built: BuiltArtefact, programs: Path, name: str
) -> None:
    asked, aws = builder(programs, name), StubbedAws()
    aws.refuses("ecr", "describe_images", "ImageNotFoundException")
    token = base64.b64encode(b"AWS:hidden").decode()
    aws.answers("ecr", "get_authorization_token", {"authorizationData": [{"authorizationToken": token}]})
    found = image_in_repository(SPEC, aws.client("ecr"), built, lambda _: None)
    assert found == f"{HOST}/firnline-dev@{DIGEST}"
    first, login, push, *_ = asked()
    reference = f"{HOST}/firnline-dev:{built.hash[:32]}-spark-{built.manifest.spark}"
    assert reference in first
    assert login == ["login", "--username", "AWS", "--password-stdin", HOST]
    assert push[-1] == reference
    assert "hidden" not in str(asked())
    assert (programs / f"{name}.given").read_text() == "hidden"


def test_without_the_repository_it_is_said_what_makes_it(built: BuiltArtefact) -> None:
    aws = StubbedAws()
    aws.refuses("ecr", "describe_images", "RepositoryNotFoundException")
    with pytest.raises(RuntimeRefused) as refused:
        image_in_repository(SPEC, aws.client("ecr"), built, lambda _: None)
    assert "firnline up" in refused.value.next_step
