"""What is published: three wheels, each with its own package, all that it needs, and nothing that only imitates or tests."""

import re
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path

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
            "permissions",
            "records",
            "schemas",
            "shard",
            "sink",
            "snowflake",
            "spark",
            "transforms",
        ),
    },
    "infra": {
        *("__init__.py", "error_catalog.py", "py.typed"),
        *(
            "policy",
            "accounts",
            "audit",
            "blueprint",
            "build",
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
            "resources",
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
DATA = {
    "ingest": {"py.typed"},
    "infra": {
        "py.typed",
        "build/engine.lock.txt",
        "build/engine.opentelemetry.lock.txt",
        "build/engine.prometheus.lock.txt",
        "build/files/Containerfile",
        "build/files/python",
        "blueprint/prices.json",
        "programs/pulumi/Pulumi.yaml",
        *(f"render/ci/files/{name}.yaml" for name in ("github", "github-setup", "gitlab", "gitlab-setup")),
        *(
            f"status/page/{name}"
            for name in ("index.html", "page.css", "page.js", "charts.js", "parts.js", "shards.js")
        ),
        *(f"s3a/hadoop-{version}.sha256" for version in ("3.4.1", "3.4.2", "3.5.0")),
        *(f"programs/pulumi_layered/{layer}/Pulumi.yaml" for layer in ("foundation", "warehouse", "runtime")),
    },
    "local": {
        "py.typed",
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


def project(house: str) -> dict[str, object]:
    found: dict[str, object] = tomllib.loads((ROOT / house / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


@pytest.mark.parametrize("house", HOUSES)
def test_a_wheel_holds_one_package_as_it_is_here(house: str, wheels: Mapping[str, Path]) -> None:
    folder = ROOT / house / package_of(house)
    here = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert files_of(house, wheels[house]) == here
    tops = {name.partition("/")[0] for name in names_in(wheels[house])}
    assert tops == {package_of(house), f"{package_of(house)}-{project(house)['version']}.dist-info"}


@pytest.mark.parametrize("house", HOUSES)
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
    for house in HOUSES:
        required = [each for each in project(house)["dependencies"] if each.startswith("firnline-")]
        assert [each for each in required if not each.endswith(f"=={version}")] == []
