"""Wheels that are published: each with its own package, all that it needs, and nothing that only imitates or tests; and
one that brings them under the product's name."""

import os
import re
import subprocess
import sysconfig
import tomllib
import venv
import zipfile
from collections.abc import Mapping
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
HOUSES = ("ingest", "infra", "local")
ROOMS = {
    "ingest": {
        *(
            "__init__.py",
            "__main__.py",
            "py.typed",
            "errors.py",
            "identifiers.py",
            "logs.py",
            "terminal.py",
            "validate.py",
            "values.py",
        ),
        *(
            "activity.py",
            "aws",
            "checks",
            "commands",
            "config",
            "datasource",
            "dead_letters",
            "formats",
            "kinesis",
            "ledger",
            "metrics",
            "migration",
            "native.py",
            "nesting.py",
            "new_columns.py",
            "planned_columns.py",
            "permissions",
            "planned_columns.py",
            "records",
            "environment_proxy.py",
            "proxy.py",
            "secret_names.py",
            "schemas",
            "shard",
            "sink",
            "snowflake",
            "spark",
            "transforms",
        ),
    },
    "infra": {
        *("__init__.py", "environment.py", "error_catalog.py", "others_errors.py", "py.typed"),
        *(
            "policy",
            "accounts",
            "audit",
            "blueprint",
            "artefact",
            "cli",
            "doctor",
            "estimate",
            "drift",
            "keys",
            "kinds",
            "observe",
            "programs",
            "pulumi",
            "pulumi_cli",
            "redshift",
            "render",
            "runtimes",
            "rollout",
            "s3a",
            "specification",
            "stack",
            "status",
            "terraform",
        ),
    },
}
"""Of the two that go to clusters and into pipelines, to the letter; the third house is the imitation itself."""
CI_TEMPLATES = (
    "github",
    "github-comment",
    "github-comment-kept",
    "github-setup",
    "gitlab",
    "gitlab-note",
    "gitlab-note-token",
    "gitlab-setup",
)
DATA = {
    "ingest": {"py.typed"},
    "infra": {
        "py.typed",
        "artefact/engine.lock.txt",
        "artefact/engine.files.lock.txt",
        "artefact/engine.opentelemetry.lock.txt",
        "artefact/engine.prometheus.lock.txt",
        "artefact/files/Containerfile",
        "artefact/files/python",
        "blueprint/prices.json",
        "programs/pulumi/Pulumi.yaml",
        *(f"render/ci/files/{name}.yaml" for name in CI_TEMPLATES),
        *(
            f"status/page/{name}"
            for name in (
                *("index.html", "page.css", "page.js", "charts.js", "parts.js", "shards.js"),
                *("overview.html", "overview.js"),
            )
        ),
        *(f"s3a/hadoop-{version}.sha256" for version in ("3.4.1", "3.4.2", "3.5.0")),
        *(f"programs/pulumi_layered/{layer}/Pulumi.yaml" for layer in ("foundation", "warehouse", "runtime")),
    },
    "local": {
        "py.typed",
        "runtimes/emr_ec2/hadoop-3.5.0.sha256",
        "local.yaml",
        *(f"pulumi/schemas/{name}" for name in ("README.md", "aws.json", "snowflake.json")),
    },
}
EQUIPMENT = re.compile(r"(^|/)(tests?|testing|conftest|fakes?|bench|chaos|emulat\w*|firnline_local)(\.py|/)")


def package_of(house: str) -> str:
    return f"firnline_{house}"


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def files_of(house: str, wheel: Path) -> set[str]:
    """Below its package."""
    prefix = f"{package_of(house)}/"
    return {name.removeprefix(prefix) for name in names_in(wheel) if name.startswith(prefix)}


def project(house: str) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / house / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


@pytest.mark.parametrize("house", HOUSES)
def test_a_wheel_holds_one_package_as_it_is_here(house: str, wheels: Mapping[str, Path]) -> None:
    folder = ROOT / house / package_of(house)
    here = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert files_of(house, wheels[house]) == here
    tops = {name.partition("/")[0] for name in names_in(wheels[house])}
    assert tops == {package_of(house), f"{package_of(house)}-{project(house)['version']}.dist-info"}


@pytest.mark.parametrize("house", [*HOUSES, "."])
def test_a_wheel_holds_the_text_of_its_licence(house: str, wheels: Mapping[str, Path]) -> None:
    with zipfile.ZipFile(wheels[house]) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/licenses/LICENSE"))
        assert archive.read(name) == (ROOT / "LICENSE").read_bytes()


@pytest.mark.parametrize("house", ROOMS)
def test_what_goes_into_production_is_known_room_by_room(house: str, wheels: Mapping[str, Path]) -> None:
    assert {name.partition("/")[0] for name in files_of(house, wheels[house])} == ROOMS[house]


@pytest.mark.parametrize("house", ROOMS)
def test_nothing_that_imitates_or_tests_goes_into_production(house: str, wheels: Mapping[str, Path]) -> None:
    assert [name for name in names_in(wheels[house]) if EQUIPMENT.search(name)] == []
    with zipfile.ZipFile(wheels[house]) as archive:
        naming = [name for name in archive.namelist() if b"firnline_local" in archive.read(name)]
    assert naming == []


@pytest.mark.parametrize("house", HOUSES)
def test_the_data_that_the_code_reads_is_in(house: str, wheels: Mapping[str, Path]) -> None:
    assert {name for name in files_of(house, wheels[house]) if not name.endswith(".py")} == DATA[house]


def test_the_three_are_released_together_and_need_each_other_as_they_are() -> None:
    (version,) = {project(house)["version"] for house in HOUSES}
    for house in (*HOUSES, "."):
        found = project(house)
        extras = found.get("optional-dependencies", {})
        needed = [*found["dependencies"], *(each for extra in extras.values() for each in extra)]
        required = [each for each in needed if each.startswith("firnline-") and "==" in each]
        assert [each for each in required if not each.endswith(f"=={version}")] == []


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))


def test_the_package_of_the_products_name_brings_the_command_and_holds_no_code(wheels: Mapping[str, Path]) -> None:
    with zipfile.ZipFile(wheels["."]) as archive:
        names = archive.namelist()
        (entry_points,) = (archive.read(name).decode() for name in names if name.endswith("/entry_points.txt"))
    assert {name.partition("/")[0] for name in names} == {f"firnline-{project('.')['version']}.dist-info"}
    assert "firnline = firnline_infra.cli:main" in entry_points
    found = metadata(wheels["."])
    assert "firnline-infra[deploy]==0.1.0" in found.get_all("Requires-Dist", [])
    assert {"local", "spark", "terraform"} <= set(found.get_all("Provides-Extra", []))


@pytest.mark.parametrize("house", [*HOUSES, "."])
def test_an_index_says_where_documentation_source_and_changes_are(house: str, wheels: Mapping[str, Path]) -> None:
    found = metadata(wheels[house])
    urls = dict(each.split(", ") for each in found.get_all("Project-URL", []))
    assert urls.keys() == {"Documentation", "Source", "Changelog", "Issues"}
    assert all(url.startswith("https://") for url in urls.values())
    said = set(found.get_all("Classifier", []))
    assert {f"Programming Language :: Python :: 3.{minor}" for minor in (11, 12, 13)} <= said


def test_every_link_of_the_page_on_an_index_leads_somewhere_from_there(wheels: Mapping[str, Path]) -> None:
    page = str(metadata(wheels["."]).get_payload())
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", page)
    assert len(links) > 10
    assert [link for _, link in links if not re.match("https://|#", link)] == []
    for is_image, link in links:
        path = re.sub(r"^https://[^/]+/firnline/firnline/(?:blob/)?v[\d.]+/|#.*", "", link)
        assert link.startswith("https://raw.") == bool(is_image)
        assert path.startswith("https://") or (ROOT / path).exists(), link


def test_the_command_runs_from_the_wheels_in_an_environment_of_their_own(
    tmp_path: Path, wheels: Mapping[str, Path]
) -> None:
    """Ours come from the wheels; what they need of others is lent, by a line that adds a folder and nothing else."""
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False, symlinks=True)
    install = ["uv", "pip", "install", "--quiet", "--offline", "--no-index", "--no-deps", "--python"]
    here = Path(sysconfig.get_path("scripts"))
    subprocess.run([here / install[0], *install[1:], environment / "bin" / "python", *wheels.values()], check=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(environment), "platbase": str(environment)}))
    (packages / "lent.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}

    def firnline(*arguments: str) -> str:
        command = [str(environment / "bin" / "firnline"), *arguments]
        ran = subprocess.run(command, cwd=tmp_path, env=kept, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    assert firnline("--version") == f"firnline, version {project('.')['version']}\n"
    assert "demo " in firnline("--help")
    assert "FL-3011 LoginRefused" in firnline("explain", "3011")
