"""Tests of what the machine and the environment decide, in one copy of the specification that all commands read."""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import yaml

from firnline_infra.artefact import target_of_specification
from firnline_infra.keys.pair import new_pair
from firnline_infra.specification import load_spec
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.folder import Folder
from firnline_local.keys import make_key_pair, public_key_body_of
from firnline_local.machine import ARCHITECTURE
from firnline_local.running import RunningEnvironment
from firnline_local.specification_here import INSTANCE_TYPES, for_this_machine, specification_here
from tests.infra.runtimes.environments import IMAGE, RUNTIMES
from tests.infra.specifications import document

OTHER = {"arm64": "x86_64", "x86_64": "arm64"}[ARCHITECTURE]
SERVERLESS = RUNTIMES["emr_serverless"]["emr_serverless"]
SECRET = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:one"


class NoBootstrap:
    """The part of an environment that is asked where the specification has no key of a bootstrap's."""

    def client(self, service: str) -> None:
        return None

    def has_made(self, name: str) -> bool:
        return False


class MadeByItsStart:
    """An environment as far as it is asked, of which `local up` has made what the specification says."""

    def __init__(self, folder: Path, secrets: Mapping[str, str]) -> None:
        self.folder, self._secrets = Folder(folder), secrets
        for user in ("ingest", "reader"):
            make_key_pair(self.folder.keys, user)

    def has_made(self, name: str) -> bool:
        return name == "dev"

    def client(self, service: str) -> Any:
        return SimpleNamespace(
            describe_secret=self._describe, exceptions=SimpleNamespace(ResourceNotFoundException=KeyError)
        )

    def _describe(self, SecretId: str) -> str:  # noqa: N803 (boto3's own name)
        return self._secrets[SecretId]


ENVIRONMENT = cast("RunningEnvironment", NoBootstrap())


def written(folder: Path, runtime: Mapping[str, Any]) -> Path:
    aws = {"key": {"origin": "skip"}, "runtime": runtime}
    path = folder / "dev.yaml"
    path.write_text("# a person's\n" + yaml.safe_dump(document(aws=aws)))
    path.with_name("dev.keys.yaml").write_text(
        yaml.safe_dump({user: {"secret_arn": f"{SECRET}-{user}"} for user in ("ingest", "reader")})
    )
    return path


def here(spec_file: Path) -> Path:
    return specification_here(ENVIRONMENT, spec_file, spec_file.parent / "environment")


@pytest.mark.parametrize("kind", ["emr_serverless", "emr_eks", "emr_ec2"])
def test_an_application_is_made_for_the_machine_that_runs_its_jobs(tmp_path: Path, kind: str) -> None:
    """The archive is built for this machine, so an application of another architecture would refuse it."""
    machines = {"instance_type": INSTANCE_TYPES[OTHER]} if kind == "emr_ec2" else {}
    runtime = {**RUNTIMES[kind], kind: {**RUNTIMES[kind][kind], "architecture": OTHER, **machines}}
    spec_file = written(tmp_path, runtime)
    path = here(spec_file)
    spec, given = load_spec(path), load_spec(spec_file)
    assert path.parent == tmp_path / "environment"
    assert spec.aws.runtime.job is not None
    assert given.aws.runtime.job is not None
    of_nodes = {"instance_type": INSTANCE_TYPES[ARCHITECTURE]} if kind == "emr_ec2" else {}
    own = {"architecture": type(given.aws.runtime.job.architecture)(ARCHITECTURE), **of_nodes}
    assert spec.aws.runtime.job == given.aws.runtime.job.model_copy(update=own)
    assert spec.snowflake.ingest.secret_arn == f"{SECRET}-ingest"
    machine = EmbeddedAccounts(ENVIRONMENT).engines_machine
    assert target_of_specification(spec, **machine) == target_of_specification(spec, python=machine["python"])
    assert here(path) == path
    assert [file.name for file in sorted(path.parent.iterdir())] == ["dev.keys.yaml", "dev.yaml"]


def test_where_nothing_is_decided_here_the_file_is_the_one_that_a_person_wrote(tmp_path: Path) -> None:
    spec_file = written(
        tmp_path, {"trust": "emr-serverless", "emr_serverless": {**SERVERLESS, "architecture": ARCHITECTURE}}
    )
    assert here(spec_file) == spec_file
    assert here(written(tmp_path, {"trust": "emr-serverless"})) == spec_file


def test_the_nodes_of_a_kubernetes_cluster_are_the_cluster_s(tmp_path: Path) -> None:
    spec_file = written(tmp_path, {**RUNTIMES["kubeflow"], "kubernetes": {"image": IMAGE, "architecture": OTHER}})
    assert here(spec_file) == spec_file


def test_modules_beside_the_specification_are_found_from_the_copy(tmp_path: Path) -> None:
    (tmp_path / "cleaning.py").write_text("def clean(row):\n    return row\n")
    runtime = {
        "trust": "emr-serverless",
        "modules": ["cleaning.py"],
        "emr_serverless": {**SERVERLESS, "architecture": OTHER},
    }
    assert load_spec(here(written(tmp_path, runtime))).aws.runtime.modules == [str(tmp_path / "cleaning.py")]


@pytest.mark.parametrize("architecture", [ARCHITECTURE, OTHER])
def test_a_wheel_beside_the_specification_is_found_from_the_copy_or_left_out(tmp_path: Path, architecture: str) -> None:
    """On a machine of another architecture it can't be loaded."""
    (tmp_path / "native.whl").touch()
    runtime = {
        "trust": "emr-serverless",
        "native_wheel": "native.whl",
        "emr_serverless": {**SERVERLESS, "architecture": architecture},
    }
    found = load_spec(here(written(tmp_path, runtime))).aws.runtime.native_wheel
    assert found == (str(tmp_path / "native.whl") if architecture == ARCHITECTURE else None)


def test_the_keys_of_the_start_are_the_users_whatever_the_file_names(tmp_path: Path) -> None:
    """But for those that `firnline keys` has made since: their secrets are here."""
    spec_file = written(tmp_path, {"trust": "emr-serverless"})
    document = yaml.safe_load(spec_file.read_text())
    document["snowflake"]["reader"] = {"public_keys": {"slot_1": new_pair().public_key}}
    spec_file.write_text(yaml.safe_dump(document))
    made = MadeByItsStart(tmp_path / "made", {f"{SECRET}-ingest": "there"})
    spec = load_spec(specification_here(cast("RunningEnvironment", made), spec_file, tmp_path / "environment"))
    assert spec.snowflake.reader.public_keys.slot_1 == public_key_body_of(made.folder.keys, "reader")
    assert spec.snowflake.reader.secret_arn == f"{SECRET}-reader"
    assert spec.snowflake.ingest == load_spec(spec_file).snowflake.ingest


def test_what_a_start_makes_has_the_architecture_of_the_copy(tmp_path: Path) -> None:
    runtime = {"trust": "emr-serverless", "emr_serverless": {**SERVERLESS, "architecture": OTHER}}
    spec_file = written(tmp_path, runtime)
    assert for_this_machine(load_spec(spec_file)) == load_spec(here(spec_file))
