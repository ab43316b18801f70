"""The direction of imports is law, and this is its text.

Every package is imported whole, module by module, in an interpreter of its own; what it loaded is then compared with what
it may load. A package that is not named here may load nothing beyond the base dependencies.
"""

import json
import os
import resource
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BASE = {"click", "msgspec", "pydantic", "yaml"}  # what our wheels bring without extras
EXTRAS = {
    "boto3", "botocore", "cdktf", "cdktn", "cryptography", "duckdb", "grpc", "moto", "pulumi", "pulumi_aws",
    "pulumi_snowflake", "pyarrow", "pyspark", "snowflake", "sqlglot", "starlette", "uvicorn", "zstandard",
}  # fmt: skip # a paragraph, not a column
AWS = {"boto3", "botocore"}
MAY_LOAD = {
    "firnline_ingest.aws": AWS,
    "firnline_ingest.kinesis": AWS,
    "firnline_ingest.ledger": AWS,
    "firnline_ingest.shard": AWS,
    "firnline_ingest.spark": {*AWS, "pyspark"},
    "firnline_infra.pulumi": {"grpc", "pulumi", "pulumi_aws", "pulumi_snowflake"},
    "firnline_local.aws": {*AWS, "moto", "cryptography"},
    "firnline_local.pulumi": {"grpc", "pulumi"},
    "firnline_local.snowflake": {
        "cryptography",
        "duckdb",
        "pyarrow",
        "sqlglot",
        "starlette",
        "uvicorn",
        "zstandard",
    },
}
INGEST_FOR_PURE_PACKAGES = (
    "firnline_ingest.config",
    "firnline_ingest.errors",
    "firnline_ingest.permissions",
    "firnline_ingest.identifiers",  # both halves have to mean the same table
)
MOST_CPU_S = 0.3

IMPORT_ALL = """
import importlib, json, sys
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
print(json.dumps(sorted(sys.modules)))
"""


def modules_of(package: str) -> list[str]:
    """Without __main__: importing one is running it."""
    base = ROOT / package.partition(".")[0].removeprefix("firnline_")
    place = base.joinpath(*package.split("."))
    files = [place.with_suffix(".py")] if place.with_suffix(".py").exists() else sorted(place.rglob("*.py"))
    names = [file.relative_to(base).with_suffix("").parts for file in files if file.name != "__main__.py"]
    return [".".join(parts[:-1] if parts[-1] == "__init__" else parts) for parts in names]


def packages() -> list[str]:
    """The rooms of the three houses."""
    rooms = []
    for root in ("ingest/firnline_ingest", "infra/firnline_infra", "local/firnline_local"):
        for path in sorted((ROOT / root).iterdir()):
            if path.name in {"__pycache__", "__init__.py"} or path.suffix not in {"", ".py"}:
                continue
            rooms.append(".".join(path.relative_to(ROOT).with_suffix("").parts[1:]))
    return rooms


@cache
def loaded_by(package: str) -> frozenset[str]:
    result = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, json.dumps(modules_of(package))],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return frozenset(json.loads(result.stdout))


def roots(modules: frozenset[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


@pytest.mark.parametrize("package", packages())
def test_a_package_loads_no_more_extras_than_it_may(package: str) -> None:
    assert roots(loaded_by(package)) & EXTRAS <= MAY_LOAD.get(package, set())


@pytest.mark.parametrize("package", [name for name in packages() if name.startswith("firnline_ingest")])
def test_the_engine_never_loads_the_infrastructure(package: str) -> None:
    assert "firnline_infra" not in roots(loaded_by(package))


@pytest.mark.parametrize(
    "package", ["firnline_infra.specification", "firnline_infra.blueprint", "firnline_infra.pulumi"]
)
def test_the_pure_packages_take_of_the_engine_only_what_is_light(package: str) -> None:
    parents = {"firnline_ingest", *(name.rpartition(".")[0] for name in INGEST_FOR_PURE_PACKAGES)}
    foreign = [
        name
        for name in loaded_by(package)
        if name.startswith("firnline_ingest") and name not in parents and not name.startswith(INGEST_FOR_PURE_PACKAGES)
    ]
    assert foreign == []


def test_the_specification_does_not_know_the_blueprint() -> None:
    assert not any(name.startswith("firnline_infra.blueprint") for name in loaded_by("firnline_infra.specification"))


def test_the_command_line_loads_nothing_but_click() -> None:
    assert roots(loaded_by("firnline_infra.cli")) & (BASE | EXTRAS) == {"click"}


def test_every_exception_of_this_law_is_about_a_package_that_exists() -> None:
    assert MAY_LOAD.keys() <= set(packages())


def cpu_seconds(code: str, byte_code: Path) -> float:
    """The least of a few runs: a busy machine may slow one down, not all. The first one compiles for the others."""
    seconds = [MOST_CPU_S]
    for _ in range(10):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            timeout=60,
            cwd=ROOT,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(byte_code)},
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if min(seconds) < MOST_CPU_S:
            break
    return min(seconds)


LOAD = """
from pathlib import Path
from firnline_infra.specification import load_spec
spec = load_spec(Path("stacks/environments/prod.yaml"))
"""


@pytest.mark.parametrize(
    "code",
    [
        "import sys; sys.argv = ['firnline', '--help']; from firnline_infra.cli import main; main()",
        LOAD,
        LOAD + "from firnline_infra.blueprint import blueprint_of; blueprint_of(spec)",
    ],
    ids=["help", "a specification is loaded", "its blueprint is rendered"],
)
def test_what_a_person_waits_for_takes_little_cpu(code: str, tmp_path: Path) -> None:
    assert cpu_seconds(code, tmp_path) < MOST_CPU_S
