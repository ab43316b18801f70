"""A person's specification as it holds in an embedded environment: the file itself, or a copy with what is decided here.

Every command that works in the embedded accounts reads what this returns, so that none of them expects what another one has not
made: the keys that were made here, and the architecture of the machine that runs the engine. An environment that was started with
the specification has its users' keys from that start, whatever the specification names: those open nothing here.
"""

import re
import shutil
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import yaml

from firnline_infra.keys.file import ReviewedFile
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_infra.specification.document import read_text, read_yaml
from firnline_infra.specification.keys_file import UserKeys, keys_file_of
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.runtime import Runtime
from firnline_infra.specification.service_users import NamedUser, service_users
from firnline_local.environment_key import environment_key
from firnline_local.keys import public_key_body_of
from firnline_local.machine import ARCHITECTURE
from firnline_local.running import RunningEnvironment

INSTANCE_TYPES = {"arm64": "m7g.xlarge", "x86_64": "m7i.xlarge"}
"""The type of a cluster's machines, by architecture."""


def specification_here(environment: RunningEnvironment, spec_file: Path, folder: Path) -> Path:
    """The copy is in `folder`, with its keys beside it as `firnline keys` writes them. Raises ConfigError."""
    spec = load_spec(spec_file)
    key = environment_key(environment.client("kms"), spec)
    without = [user for user in service_users(spec) if not user.options.public_keys.is_given]
    lacking = [user.key for user in without if not user.has_secret]
    if environment.has_made(spec.name):
        lacking = [user.key for user in service_users(spec) if not _has_secret_here(environment, user)]
    if not lacking and key in (None, spec.aws.key.arn) and _runs_on_this_machine(spec):
        return spec_file
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / spec_file.name
    if copy.resolve() == spec_file.resolve():
        return spec_file
    with tempfile.TemporaryDirectory(dir=folder) as draft:
        drafted = Path(draft) / spec_file.name
        drafted.write_text(_text(spec, spec_file, lacking), encoding="utf-8")
        keys = ReviewedFile.beside(drafted)
        if (given := keys_file_of(spec_file)).exists():
            shutil.copyfile(given, keys.path)
        if key is not None and spec.aws.key.origin is Origin.CREATE:
            keys.put_encryption_key(key)
        _put_keys(keys, lacking, environment)
        for path in (
            keys.path,
            drafted,
        ):  # whole files take the old ones' places: another command may read them meanwhile
            if path.exists():
                path.replace(folder / path.name)
            else:
                (folder / path.name).unlink(missing_ok=True)
    return copy


def _put_keys(keys: ReviewedFile, users: Collection[str], environment: RunningEnvironment) -> None:
    for user in users:
        own = public_key_body_of(environment.folder.keys, user)
        keys.put(user, UserKeys(slot_1=own, secret_arn=keys.of(user).secret_arn))


def _has_secret_here(environment: RunningEnvironment, user: NamedUser) -> bool:
    """True where `firnline keys` has made the user's key in this environment, since its start."""
    secrets = environment.client("secretsmanager")
    try:
        return bool(user.options.secret_arn and secrets.describe_secret(SecretId=user.options.secret_arn))
    except secrets.exceptions.ResourceNotFoundException:
        return False


def for_this_machine(spec: EnvironmentSpec) -> EnvironmentSpec:
    """The specification with the architecture that engines have here."""
    runtime = spec.aws.runtime
    if _runs_on_this_machine(spec) or runtime.job is None or runtime.kind is None:
        return spec
    own = {**_of_this_machine(runtime), "architecture": type(runtime.job.architecture)(ARCHITECTURE)}
    job = runtime.job.model_copy(update=own)
    runtime = runtime.model_copy(update={runtime.kind: job, "native_wheel": None})
    return spec.model_copy(update={"aws": spec.aws.model_copy(update={"runtime": runtime})})


def _of_this_machine(runtime: Runtime) -> dict[str, str]:
    """Returns the options of a runtime that say what its machines are; the type of an adopted cluster's is not among them."""
    is_cluster = runtime.emr_ec2 is not None and runtime.emr_ec2.origin is Origin.CREATE
    return {"architecture": ARCHITECTURE, **({"instance_type": INSTANCE_TYPES[ARCHITECTURE]} if is_cluster else {})}


def _runs_on_this_machine(spec: EnvironmentSpec) -> bool:
    """True where the embedded runtimes can run the engine. Kubernetes is a cluster of its own, with nodes of its own."""
    runtime = spec.aws.runtime
    return runtime.job in (None, runtime.kubernetes) or runtime.job.architecture.value == ARCHITECTURE


def _text(spec: EnvironmentSpec, spec_file: Path, lacking: Collection[str]) -> str:
    """The document with this machine's architecture, and with whole paths of what is named beside the file; without the public
    keys of the users that are given others.
    """
    users = [user for user in service_users(spec) if user.key in lacking]
    document: Any = read_yaml(read_text(spec_file), str(spec_file))
    given = [part for user in users if "public_keys" in (part := _section(document, user.path))]
    is_of_here = _runs_on_this_machine(spec)
    wheel = spec.aws.runtime.native_wheel if is_of_here else None  # one of another architecture runs nowhere here
    beside = {"modules": list(spec.aws.runtime.modules), "native_wheel": wheel}
    if is_of_here and not any(beside.values()) and not given:
        return read_text(spec_file)
    for part in given:
        del part["public_keys"]
    runtime = document["aws"].get("runtime", {})
    runtime |= {name: whole for name, whole in beside.items() if whole or name in runtime}
    if not is_of_here:
        section = spec.aws.runtime.kind
        runtime[section] = {**(runtime[section] or {}), **_of_this_machine(spec.aws.runtime)}
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=10_000)


def _section(document: Any, path: str) -> dict[str, Any]:
    """Returns what is at a path such as pipelines[0].ingest; empty where nothing is."""
    found = document
    for name, index in re.findall(r"(\w+)(?:\[(\d+)\])?", path):
        found = (found or {}).get(name) or {}
        found = found[int(index)] if index else found
    return found or {}
