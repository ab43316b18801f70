"""The direction of imports is law, and this is its text.

Every package is imported whole, module by module, by an interpreter that has nothing of ours; what it loaded is then compared
with what it may load. A package that is not named here may load nothing beyond the base dependencies.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from subprocess import PIPE

import pytest

from docs.tools.layout import circles, folder_graph, module_graph, room_graph

ROOT = Path(__file__).parents[1]
Loaded = Callable[[str], frozenset[str]]
BASE = {"click", "msgspec", "pydantic", "yaml"}  # what our wheels bring without extras
EXTRAS = {
    "boto3", "botocore", "cdktf", "cdktn", "cramjam", "cryptography", "duckdb", "grpc", "jsii", "moto", "pulumi", "pulumi_aws",
    "fastavro", "pulumi_policy", "pulumi_snowflake", "pyarrow", "pyspark", "snowflake", "sqlglot", "starlette", "uvicorn",
    "zstandard",
}  # fmt: skip # a paragraph, not a column
AWS = {"boto3", "botocore"}
MAY_LOAD = {
    "firnline_ingest.aws": AWS,
    "firnline_ingest.datasource": {*AWS, "pyspark"},
    "firnline_ingest.dead_letters": AWS,
    "firnline_ingest.kinesis": AWS,
    "firnline_ingest.ledger": AWS,
    "firnline_ingest.migration": AWS,
    "firnline_ingest.new_columns": AWS,
    "firnline_ingest.planned_columns": AWS,
    "firnline_ingest.schemas": AWS,
    "firnline_ingest.shard": AWS,
    "firnline_ingest.sink": AWS,
    "firnline_ingest.spark": {*AWS, "pyspark"},
    "firnline_infra.rollout": AWS,
    "firnline_infra.status": AWS,
    "firnline_infra.policy": {"grpc", "pulumi", "pulumi_policy"},
    "firnline_infra.pulumi": {"grpc", "pulumi", "pulumi_aws", "pulumi_snowflake"},
    "firnline_local.aws": {*AWS, "moto", "cryptography"},
    "firnline_local.pulumi": {"grpc", "pulumi"},
    "firnline_local.runtimes": {*AWS, "duckdb", "sqlglot"},
    "firnline_local.terraform": {"grpc"},
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
ROOMS_BELOW = {
    "ingest.activity": "",
    "ingest.__main__": "aws commands config errors proxy terminal",
    "ingest.aws": "config errors",
    "ingest.checks": "activity errors terminal",
    "ingest.commands": (
        "aws checks config dead_letters kinesis ledger logs migration planned_columns spark terminal validate values"
    ),
    "ingest.config": "errors identifiers",
    "ingest.datasource": "aws config dead_letters errors identifiers kinesis records schemas sink snowflake values",
    "ingest.dead_letters": (
        "aws config errors identifiers kinesis ledger new_columns permissions records schemas sink snowflake values"
    ),
    "ingest.errors": "",
    "ingest.environment_proxy": "",
    "ingest.formats": "config errors identifiers records",
    "ingest.identifiers": "errors",
    "ingest.kinesis": "aws config errors native values",
    "ingest.ledger": "aws config errors identifiers kinesis native permissions values",
    "ingest.logs": "",
    "ingest.metrics": "config errors shard values",
    "ingest.migration": "activity aws errors kinesis ledger values",
    "ingest.native": "",
    "ingest.nesting": "",
    "ingest.new_columns": "config errors kinesis ledger planned_columns records snowflake",
    "ingest.planned_columns": "config errors identifiers ledger records snowflake values",
    "ingest.permissions": "config",
    "ingest.proxy": "aws config environment_proxy errors",
    "ingest.records": "config identifiers kinesis native nesting values",
    "ingest.schemas": "aws config environment_proxy errors proxy",
    "ingest.secret_names": "",
    "ingest.shard": "config dead_letters errors kinesis ledger new_columns records schemas snowflake values",
    "ingest.sink": "aws config errors kinesis",
    "ingest.snowflake": "activity aws config errors identifiers ledger permissions proxy values",
    "ingest.spark": (
        "aws config datasource dead_letters environment_proxy errors identifiers kinesis ledger logs metrics native "
        "new_columns proxy records schemas shard snowflake values"
    ),
    "ingest.terminal": "",
    "ingest.transforms": "config nesting records",
    "ingest.validate": "checks config dead_letters errors kinesis ledger records schemas snowflake spark",
    "ingest.values": "errors identifiers",
    "infra.accounts": "specification ingest.activity ingest.aws ingest.errors ingest.snowflake",
    "infra.audit": (
        "ingest.activity ingest.aws ingest.config ingest.dead_letters ingest.errors ingest.formats ingest.identifiers "
        "ingest.kinesis ingest.ledger ingest.migration ingest.records ingest.schemas ingest.snowflake ingest.terminal "
        "ingest.transforms ingest.values"
    ),
    "infra.blueprint": ("environment specification ingest.config ingest.errors ingest.identifiers ingest.permissions"),
    "infra.artefact": (
        "blueprint environment runtimes s3a specification ingest.__main__ ingest.activity ingest.config ingest.errors"
    ),
    "infra.cli": (
        "accounts artefact audit blueprint doctor drift environment error_catalog estimate keys kinds observe "
        "others_errors policy redshift render rollout runtimes specification stack status terraform ingest.__main__ "
        "ingest.activity ingest.aws ingest.checks ingest.config ingest.dead_letters ingest.errors ingest.logs "
        "ingest.schemas ingest.secret_names ingest.sink ingest.terminal ingest.values"
    ),
    "infra.doctor": (
        "accounts blueprint environment kinds observe pulumi_cli render specification stack ingest.checks "
        "ingest.environment_proxy ingest.errors"
    ),
    "infra.drift": (
        "accounts blueprint environment keys kinds observe pulumi_cli redshift render specification stack ingest.checks "
        "ingest.config ingest.errors ingest.identifiers ingest.ledger ingest.snowflake ingest.values"
    ),
    "infra.environment": "specification ingest.config",
    "infra.error_catalog": "ingest.errors",
    "infra.estimate": "blueprint environment kinds runtimes specification ingest.config ingest.terminal",
    "infra.keys": "accounts blueprint environment kinds specification ingest.errors ingest.ledger ingest.snowflake",
    "infra.kinds": (
        "blueprint environment specification ingest.errors ingest.identifiers ingest.permissions ingest.snowflake"
    ),
    "infra.observe": (
        "accounts blueprint kinds specification ingest.checks ingest.errors ingest.identifiers ingest.permissions "
        "ingest.snowflake ingest.terminal"
    ),
    "infra.others_errors": "",
    "infra.policy": "blueprint kinds specification terraform ingest.checks ingest.permissions",
    "infra.programs": "pulumi",
    "infra.pulumi": "blueprint environment kinds specification ingest.errors",
    "infra.pulumi_cli": "accounts kinds ingest.activity ingest.errors",
    "infra.redshift": "accounts blueprint specification ingest.checks ingest.errors ingest.terminal",
    "infra.render": "blueprint environment kinds runtimes specification ingest.errors ingest.identifiers ingest.permissions",
    "infra.rollout": (
        "accounts artefact blueprint environment observe runtimes specification ingest.activity ingest.config "
        "ingest.errors ingest.ledger ingest.validate ingest.values"
    ),
    "infra.runtimes": "accounts blueprint environment specification ingest.environment_proxy ingest.errors",
    "infra.s3a": "ingest.errors",
    "infra.specification": "ingest.config ingest.errors ingest.identifiers ingest.secret_names ingest.transforms",
    "infra.stack": (
        "accounts blueprint environment keys kinds observe pulumi_cli redshift render specification terraform "
        "ingest.checks ingest.errors"
    ),
    "infra.status": (
        "accounts blueprint observe redshift rollout runtimes ingest.aws ingest.checks ingest.config ingest.dead_letters "
        "ingest.errors ingest.ledger ingest.logs ingest.shard ingest.terminal ingest.values"
    ),
    "infra.terraform": "accounts blueprint environment kinds pulumi_cli specification ingest.activity ingest.errors",
    "local.accounts": (
        "endpoints keys machine pulumi running specification_here infra.accounts infra.pulumi_cli "
        "infra.specification infra.stack infra.terraform ingest.aws ingest.errors ingest.snowflake"
    ),
    "local.aws": "endpoints exit_with_parent faults process service_models wsgi",
    "local.cli": (
        "accounts demo environment folder provisioning running terraform infra.accounts infra.cli infra.keys "
        "infra.specification infra.status infra.terraform ingest.config ingest.errors ingest.sink "
        "ingest.snowflake ingest.terminal"
    ),
    "local.clock": "",
    "local.decoding": "",
    "local.demo": (
        "accounts environment exit_with_parent machine provisioning pulumi running terraform infra.audit infra.artefact "
        "infra.keys infra.rollout infra.specification infra.stack infra.status ingest.__main__ "
        "ingest.config ingest.dead_letters ingest.errors ingest.terminal"
    ),
    "local.endpoints": "errors faults ingest.aws ingest.errors ingest.snowflake",
    "local.environment": (
        "endpoints folder keys provisioning running servers specification_here state infra.blueprint infra.environment "
        "infra.specification"
    ),
    "local.environment_key": "infra.blueprint infra.render infra.specification",
    "local.errors": "ingest.errors",
    "local.exit_with_parent": "",
    "local.faults": "ingest.errors",
    "local.folder": "errors",
    "local.keys": "infra.specification",
    "local.kinesis": "clock decoding exit_with_parent faults other_sites process service_models ingest.values",
    "local.machine": "",
    "local.other_sites": "",
    "local.process": "errors",
    "local.providers": "endpoints errors snowflake infra.specification ingest.snowflake",
    "local.provisioning": (
        "environment_key errors providers pulumi running infra.blueprint infra.pulumi infra.redshift infra.render "
        "infra.specification"
    ),
    "local.pulumi": (
        "endpoints errors exit_with_parent folder providers running state infra.accounts infra.kinds infra.pulumi_cli "
        "ingest.errors"
    ),
    "local.record": "",
    "local.running": "endpoints errors faults folder state ingest.identifiers ingest.sink ingest.snowflake",
    "local.runtimes": (
        "aws clock exit_with_parent faults process record service_models wsgi infra.s3a infra.specification "
        "ingest.aws ingest.errors"
    ),
    "local.specification_here": "environment_key keys machine running infra.keys infra.specification",
    "local.servers": "endpoints folder process infra.specification",
    "local.service_models": "record",
    "local.snowflake": "aws decoding exit_with_parent faults other_sites process record ingest.aws ingest.snowflake",
    "local.state": "endpoints errors folder ingest.config",
    "local.terraform": "pulumi running infra.kinds ingest.errors",
    "local.wsgi": "faults other_sites",
}
INGEST_FOR_PURE_PACKAGES = (
    "firnline_ingest.config",
    "firnline_ingest.errors",
    "firnline_ingest.permissions",
    "firnline_ingest.identifiers",  # both halves have to mean the same table
    "firnline_ingest.formats",
    "firnline_ingest.nesting",
    "firnline_ingest.records.conversion",  # base64 and decimals, nothing more
    "firnline_ingest.records.rejection",  # what the kinds of formats and transforms raise and return
    "firnline_ingest.records.scalar",
    "firnline_ingest.secret_names",
    "firnline_ingest.snowflake.grants",  # a row of SHOW GRANTS, which the kinds compare; no SDK
    "firnline_ingest.transforms",
)

IMPORT_ALL = """
import importlib, json, sys

def loaded(names):
    for name in names:
        importlib.import_module(name)
    return json.dumps(sorted(sys.modules))
"""
ALONE = IMPORT_ALL + "print(loaded(json.loads(sys.argv[1])))"
IN_TURNS = (
    IMPORT_ALL
    + """
import os
import click, msgspec, pydantic, yaml

for line in sys.stdin:
    if child := os.fork():
        if os.waitpid(child, 0)[1]:
            print("null", flush=True)
    else:
        print(loaded(json.loads(line)), flush=True)
        os._exit(0)
"""
)
"""An interpreter that has the base dependencies and nothing of ours; a copy of it imports each package."""


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


@pytest.fixture(scope="module")
def loaded_by() -> Iterator[Loaded]:
    """Says which modules are there once a package was imported."""
    with subprocess.Popen([sys.executable, "-c", IN_TURNS], stdin=PIPE, stdout=PIPE, text=True) as interpreter:
        asked, answers = interpreter.stdin, interpreter.stdout
        assert asked is not None
        assert answers is not None

        @cache
        def loaded(package: str) -> frozenset[str]:
            print(json.dumps(modules_of(package)), file=asked, flush=True)
            names = json.loads(answers.readline())
            assert names, f"{package} can't be imported: stderr has why"
            return frozenset(names)

        yield loaded


@cache
def graph() -> Mapping[str, set[str]]:
    return module_graph()


def roots(modules: frozenset[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


@pytest.mark.parametrize("package", packages())
def test_a_package_loads_no_more_extras_than_it_may(package: str, loaded_by: Loaded) -> None:
    assert roots(loaded_by(package)) & EXTRAS <= MAY_LOAD.get(package, set())


@pytest.mark.parametrize("package", [name for name in packages() if name.startswith("firnline_ingest")])
def test_the_engine_never_loads_the_infrastructure(package: str, loaded_by: Loaded) -> None:
    assert "firnline_infra" not in roots(loaded_by(package))


@pytest.mark.parametrize(
    "package", ["firnline_infra.specification", "firnline_infra.blueprint", "firnline_infra.pulumi"]
)
def test_the_pure_packages_take_of_the_engine_only_what_is_light(package: str, loaded_by: Loaded) -> None:
    parents = {"firnline_ingest", *(name.rpartition(".")[0] for name in INGEST_FOR_PURE_PACKAGES)}
    foreign = [
        name
        for name in loaded_by(package)
        if name.startswith("firnline_ingest") and name not in parents and not name.startswith(INGEST_FOR_PURE_PACKAGES)
    ]
    assert foreign == []


def test_the_specification_does_not_know_the_blueprint(loaded_by: Loaded) -> None:
    assert not any(name.startswith("firnline_infra.blueprint") for name in loaded_by("firnline_infra.specification"))


def test_the_command_line_loads_nothing_but_click() -> None:
    command = [sys.executable, "-c", ALONE, json.dumps(modules_of("firnline_infra.cli"))]
    said = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=120).stdout
    assert roots(frozenset(json.loads(said))) & (BASE | EXTRAS) == {"click"}


def rooms_below() -> dict[str, set[str]]:
    """ROOMS_BELOW with whole names: one without a dot is of the same house."""
    return {
        f"firnline_{room}": {
            f"firnline_{below if '.' in below else room.partition('.')[0] + '.' + below}" for below in names.split()
        }
        for room, names in ROOMS_BELOW.items()
    }


def test_a_room_imports_only_the_rooms_that_are_said_to_be_below_it() -> None:
    """Both ways: an arrow that is allowed and never drawn would let the next one in unseen."""
    assert room_graph(graph()) == rooms_below()


def test_the_rooms_that_are_said_to_be_below_have_no_circle() -> None:
    assert circles(rooms_below()) == []


def test_no_file_and_no_folder_reaches_itself() -> None:
    assert circles(graph()) == []
    assert circles(folder_graph(graph())) == []


@pytest.mark.parametrize("house", ["ingest", "infra"])
def test_the_product_does_not_know_what_imitates_the_clouds(house: str) -> None:
    for file in sorted((ROOT / house).rglob("*.py")):
        assert "firnline_local" not in file.read_text(encoding="utf-8"), file


def test_every_exception_of_this_law_is_about_a_package_that_exists() -> None:
    assert MAY_LOAD.keys() <= set(packages())


def test_nothing_but_the_programs_of_users_knows_jsii() -> None:
    """CDK Terrain's core starts Node where it is imported."""
    known = re.compile(r"^\s*(import|from) (cdktn|cdktf|jsii)\b", re.MULTILINE)
    files = (file for house in ("infra", "ingest", "local") for file in (ROOT / house).rglob("*.py"))
    assert [file for file in files if known.search(file.read_text(encoding="utf-8"))] == []
