"""The files of an environment's module, as plain Terraform JSON: the same specification always gives the same text.

What only a root module may have (providers, the backend, imports) stands in files of its own: who uses the rest as a module of
theirs leaves those out.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.blueprint.bucket_layout import CONFIGURATION_FOLDER, folder
from firnline_infra.blueprint.value import Reference
from firnline_infra.kinds import KINDS, layers
from firnline_infra.kinds.principals import adopted_policies
from firnline_infra.kinds.resource import Component, FormattedText, Resource
from firnline_infra.specification.model import Durability, EnvironmentSpec
from firnline_infra.specification.names import bootstrap_names
from firnline_infra.specification.partition import has_usual_snowflake_host, snowflake_host
from firnline_infra.terraform.engine_document import engine_locals
from firnline_infra.terraform.errors import OLDEST
from firnline_infra.terraform.expressions import (
    Interpolation,
    TerraformValues,
    address,
    escaped,
    label,
    waits_of,
    with_whole_objects,
)

MODULE_FILES = ("versions", "providers", "imports", "main", "outputs")
"""Each with .tf.json behind it."""
PROVIDERS = {
    "aws": {"source": "hashicorp/aws", "version": "~> 6.69"},
    # Its minor releases change preview resources: one is taken at a time, on purpose.
    "snowflake": {"source": "snowflakedb/snowflake", "version": "~> 2.22.0"},
}
ENGINE_HASH = Interpolation("local.engine_config_hash")
STAYS = ("snowflake_service_user", "snowflake_warehouse_interactive")
"""What goes on without an object that it names; everything else in Snowflake goes with it, and is made again with it."""
LOCAL_BACKEND: dict[str, Any] = {"terraform": {"backend": {"local": {}}}}
ROLE_WAIT = "role_propagation_seconds"
TIMED = ("aws_dynamodb_table", "aws_kinesis_stream")
"""What is empty if somebody recreates it under its name. No provider keeps when it was made, so the state gets it beside it."""
CHECKOV_SETTINGS = ".checkov.yaml"
CHECKOV_SKIPS = {
    "CKV_AWS_18": "who asked the bucket for what is in CloudTrail's data events; whether it keeps them is the account's affair",
    "CKV_AWS_40": "only with `trust: static-keys`, for an engine outside of AWS: its user has one policy, and a boundary",
    "CKV_AWS_119": "with `key: {origin: skip}` alone; if there is a key, `firnline policy` finds a table without it",
    "CKV_AWS_144": "what is in the bucket belongs to streams of one region, and is useless in another",
    "CKV_AWS_145": "with `key: {origin: skip}` alone; if there is a key, `firnline policy` finds a bucket without it",
    "CKV_AWS_149": "`firnline keys` puts a secret there before the bootstrap has made the key; an adopted key encrypts it",
    "CKV_AWS_273": "only with `trust: static-keys`, for an engine outside of AWS, which has no single sign-on",
    "CKV_AWS_382": "Snowflake and registries are reached by names whose addresses change; the network decides (docs/network.md)",
    "CKV2_AWS_5": "EMR Serverless, and EMR on EC2, take the group as an argument, which Checkov does not know",
    "CKV2_AWS_55": "Spark's spill is on the cluster's disks, and nothing that is kept: the account's default encryption of EBS",
    "CKV2_AWS_57": "`firnline keys rotate` changes the key in Snowflake and in the secret, in this order; no Lambda does",
    "CKV2_AWS_62": "the engine writes what is in the bucket; nothing waits for it",
    **{id_: reason for kind in KINDS for id_, reason in kind.checkov_skips.items()},
}


def module_files(spec: EnvironmentSpec) -> dict[str, str]:
    """The module's files, by name."""
    blueprint = blueprint_of(spec)
    components = [
        *layers.foundation(blueprint),
        *layers.warehouse(blueprint),
        *layers.runtime(blueprint),
    ]
    values = TerraformValues(_given(blueprint, components))
    documents = {
        "versions": {"terraform": {"required_version": f">= {OLDEST}", "required_providers": PROVIDERS}},
        "providers": _providers(spec, blueprint),
        **({"imports": {"import": imports}} if (imports := list(_imports(components))) else {}),
        "main": {
            "locals": engine_locals(blueprint.environment, blueprint.outputs, values.written),
            **_main(components, values),
        },
        "outputs": {"output": {name: {"value": values.written(each)} for name, each in _outputs(blueprint)}},
    }
    return {f"{name}.tf.json": text_of(each) for name, each in documents.items()}


def text_of(document: Any) -> str:
    """Returns the text of a file of JSON, the same for the same content."""
    return json.dumps(document, indent=2, sort_keys=True) + "\n"


def _files(spec: EnvironmentSpec) -> dict[str, str]:
    return {**module_files(spec), CHECKOV_SETTINGS: checkov_settings()}


def differing(spec: EnvironmentSpec, folder: Path) -> list[str]:
    """The names of the module's files that are not there as they should be, or are there and should not."""
    wanted = _files(spec)
    there = {name: _text(folder / name) for name in (*(f"{each}.tf.json" for each in MODULE_FILES), CHECKOV_SETTINGS)}
    return [name for name, text in there.items() if text != wanted.get(name)]


def write_module(spec: EnvironmentSpec, folder: Path, *, keeps_state: bool = False) -> None:
    """Writes the module; writes, and removes, only files of a module's names. With `keeps_state`, the state is in the
    folder too, whatever backend the module names."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = _files(spec)
    for name in differing(spec, folder):
        if name in wanted:
            (folder / name).write_text(wanted[name], encoding="utf-8")
        else:
            (folder / name).unlink()
    if keeps_state:
        (folder / "backend_override.tf.json").write_text(text_of(LOCAL_BACKEND), encoding="utf-8")


def _text(file: Path) -> str | None:
    return file.read_text(encoding="utf-8") if file.is_file() else None


def _given(blueprint: Blueprint, components: Iterable[Component]) -> dict[Reference, Any]:
    """Returns what references mean.

    The configuration itself is put into the bucket by `firnline up` and `deploy`: Terraform would delete the one of a
    job that still runs.
    """
    gives = {reference: each for component in components for reference, each in component.gives.items()}
    gives |= {reference: each for component in components for reference, each in _nested(component)}
    place = FormattedText(
        f"s3://{{0}}/{folder(blueprint.environment, CONFIGURATION_FOLDER)}{{1}}.json",
        (blueprint.job_bucket, ENGINE_HASH),
    )
    engine = {"document": Interpolation("jsondecode(local.engine_config)"), "hash": ENGINE_HASH, "url": place}
    return {
        **gives,
        **adopted_policies(blueprint.environment),
        **{Reference("engine", name): each for name, each in engine.items()},
    }


def _nested(component: Component) -> Iterator[tuple[Reference, Any]]:
    for member in component.members:
        if isinstance(member, Component):
            yield from member.gives.items()
            yield from _nested(member)


def _outputs(blueprint: Blueprint) -> Iterable[tuple[str, Any]]:
    return blueprint.stack_outputs.given().items()


def _providers(spec: EnvironmentSpec, blueprint: Blueprint) -> dict[str, Any]:
    """The providers' accounts; who connects, and with what, comes from AWS_* and SNOWFLAKE_* variables."""
    organization, _, account = spec.snowflake.account.partition("-")
    warehouse = spec.snowflake.warehouse
    backend = {
        "bucket": bootstrap_names(spec).state_bucket,
        "key": state_key(spec),
        "region": spec.aws.region,
        "use_lockfile": True,
    }
    return {
        "terraform": {"backend": {"s3": backend}},
        "variable": {
            "snowflake_role": {
                "type": "string",
                "default": str(blueprint.names.deploy_role),  # literal: no template is one here
                "description": "The role that deploys; for a plan that changes nothing, the role of previews.",
            }
        },
        "provider": {
            "aws": {"region": spec.aws.region, "allowed_account_ids": [spec.aws.account]},
            "snowflake": {
                "organization_name": organization,
                "account_name": account,
                **({} if has_usual_snowflake_host(spec) else {"host": snowflake_host(spec)}),
                **({"warehouse": escaped(warehouse)} if warehouse else {}),
                "role": "${var.snowflake_role}",
                "preview_features_enabled": list(blueprint.preview_features),
            },
        },
    }


def state_key(spec: EnvironmentSpec) -> str:
    return f"terraform/{spec.name}.tfstate"


def _imports(components: Iterable[Component]) -> Iterator[dict[str, str]]:
    for component in components:
        for each in component.resources():
            if each.import_id is not None:
                yield {"to": address(each), "id": each.import_id}


def _main(components: Iterable[Component], values: TerraformValues) -> dict[str, Any]:
    made: dict[str, dict[str, Any]] = {}
    for component in components:
        after = [address(each) for other in component.after for each in other.resources()]
        for each in component.resources():
            before = after if each.waits_with_component else []
            if wait := _wait_for_role(each, values):
                made.setdefault("terraform_data", {})[label(each)] = wait
                before = [*before, f"terraform_data.{label(each)}"]
            made.setdefault(each.type, {})[label(each)] = _block(each, before, values)
            if each.type in TIMED:
                made.setdefault("terraform_data", {})[label_of_time(label(each))] = _time_of(each)
    waits = any("provisioner" in each for each in made.get("terraform_data", {}).values())
    description = (
        "How long a role that was created is left alone before Snowflake uses it: AWS does not know it everywhere yet."
    )
    variable = {ROLE_WAIT: {"type": "number", "default": 30, "description": description}}
    return {"resource": made, **({"variable": variable} if waits else {})}


def label_of_time(label: str) -> str:
    """The logical name of the `terraform_data` that keeps when the resource of this one was made."""
    return f"{label}-made"


def _time_of(resource: Resource) -> dict[str, Any]:
    """The time at which the resource was made, or made anew, by Terraform: its id is not known before, which replaces this one,
    and a plan otherwise ignores that the time has changed (measured with Terraform 1.11.4)."""
    lifecycle = {"ignore_changes": ["input"]}
    return {"triggers_replace": [f"${{{address(resource)}.id}}"], "input": "${timestamp()}", "lifecycle": lifecycle}


def _block(resource: Resource, before: Iterable[str], values: TerraformValues) -> dict[str, Any]:
    named = list(dict.fromkeys(address(each) for each in waits_of(resource.arguments)))
    listed = [
        address(one)
        for each in resource.after
        for one in (each.resources() if isinstance(each, Component) else (each,))
    ]
    depends_on = sorted({*named, *listed, *before})
    lifecycle: dict[str, Any] = {}
    if resource.durability is Durability.PROTECTED:
        lifecycle["prevent_destroy"] = True
    if resource.ignore_changes:
        lifecycle["ignore_changes"] = list(resource.ignore_changes)
    if named and resource.type.startswith("snowflake_") and resource.type not in STAYS:
        lifecycle["replace_triggered_by"] = [f"{each}.id" for each in named]
    return {
        **with_whole_objects(resource.type, values.written(resource.arguments)),
        **({"depends_on": depends_on} if depends_on else {}),
        **({"lifecycle": lifecycle} if lifecycle else {}),
    }


def _wait_for_role(resource: Resource, values: TerraformValues) -> dict[str, Any] | None:
    """Terraform does not try again, as Pulumi does: the first use of a new role waits."""
    if not resource.uses_new_role or resource.waits_with_component:
        return None
    inside = [
        one
        for each in resource.after
        for one in (each.resources() if isinstance(each, Component) else (each,))
        if one.type in ("aws_iam_role", "aws_iam_role_policy")
    ]
    return {
        "triggers_replace": [values.written(each["id"]) for each in inside],
        "provisioner": [{"local-exec": {"command": f"sleep ${{var.{ROLE_WAIT}}}"}}],
    }


def checkov_settings() -> str:
    """Returns settings for Checkov that lie beside the module, where `checkov -d MODULE` finds them: checks that an environment
    fails on purpose, each with its reason. Checkov skips a check as a whole; `firnline policy` sees that no other resource hides
    behind one.
    """
    lines = [
        "# Written by `firnline terraform` beside the module. Run: checkov -d <this folder>",
        "framework: [terraform_json]",
        "skip-path: [versions.tf.json] # Checkov can't read required_version in JSON",
        "skip-check:",
        *(
            line
            for id_, reason in sorted(CHECKOV_SKIPS.items(), key=_checkov_number)
            for line in (f"  # {reason}", f"  - {id_}")
        ),
    ]
    return "\n".join(lines) + "\n"


def _checkov_number(skip: tuple[str, str]) -> list[int]:
    """Checkov's order: CKV_AWS_18, CKV_AWS_119, CKV2_AWS_5."""
    return [int(each or 1) for each in re.findall(r"^CKV(\d?)_\D+(\d+)", skip[0])[0]]
