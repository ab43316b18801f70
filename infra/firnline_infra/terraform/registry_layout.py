"""An environment's module in the layout that registries of modules read: HashiCorp's "Standard Module Structure".

README.md, variables and outputs with descriptions, versions, and a whole root module in examples/complete, which has what a
module that is called may not have: providers, imports and the role that connects.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.terraform.errors import NotOurReadme
from firnline_infra.terraform.module import PROVIDERS, module_files, text_of

README, EXAMPLE = "README.md", "examples/complete"
MODULE = "environment"
"""What the example calls the module."""
MARK = "<!-- Written by `firnline terraform --layout registry`: change the specification, not this file. -->"
READ_BY_DEPLOY = "The outputs that `firnline deploy ENV --outputs -` reads."
LEFT_OUT = ("providers.tf.json", "imports.tf.json", "backend_override.tf.json")
"""Files of a root module, which are removed where the folder was one."""
OUTPUTS: Mapping[str, str] = {
    "engine_config": "The document that the engine reads.",
    "engine_config_hash": "A hash that changes with the document, and only with it.",
    "engine_config_url": "Where the document is in the bucket: s3://bucket/configuration/HASH.json.",
    "stream_arns": "The ARN of each stream, by its name.",
    "consumer_arns": "The ARN of each consumer with a throughput of its own, by stream/consumer.",
    "ledger_table": "The name of the engine's table in DynamoDB.",
    "bucket": "The name of the bucket of artefacts, checkpoints and dead letters.",
    "secret_arns": "The ARN of the secret that holds a Snowflake user's private key, by user.",
    "engine_role_arn": "The ARN of the role that the engine runs in.",
    "engine_policy": "The policy that the owner attaches to an adopted role, as JSON.",
    "engine_trust": "The engine's role's trust policy, as JSON, if its owner sets that.",
    "engine_user": "The name of the IAM user of an engine outside of AWS.",
    "engine_place": "The id of the application or cluster that the engine's jobs run in.",
    "volume_iam_user_arns": "The IAM user of Snowflake that reads and writes each external volume, by the volume's name.",
}
"""What the README and the registry say of each output."""


def layout_files(spec: EnvironmentSpec) -> dict[str, str]:
    """Returns the text of each file by its path in the module's folder.

    Every variable and every output has a description, since a registry shows those and makes its page of them.
    """
    root = {name.removesuffix(".tf.json"): json.loads(text) for name, text in module_files(spec).items()}
    main = root["main"]
    variables = main.pop("variable", {})
    outputs = {name: {"description": OUTPUTS[name], **each} for name, each in root["outputs"]["output"].items()}
    files = {
        "main.tf.json": text_of(main),
        "outputs.tf.json": text_of({"output": outputs}),
        "variables.tf.json": text_of({"variable": variables} if variables else {}),
        "versions.tf.json": text_of(root["versions"]),
        f"{EXAMPLE}/main.tf.json": text_of(_example(root)),
    }
    readme = _readme(spec, main["resource"], variables, outputs)
    return {README: readme, **files, f"{EXAMPLE}/{README}": _readme_of_example(spec)}


def differing_from_layout(spec: EnvironmentSpec, folder: Path) -> list[str]:
    """Returns the paths of files that are not there as they should be, or are there and should not."""
    wanted = layout_files(spec)
    left = [name for name in LEFT_OUT if (folder / name).exists()]
    return [*(path for path, text in wanted.items() if _text(folder / path) != text), *left]


def write_layout(spec: EnvironmentSpec, folder: Path) -> None:
    """Writes the module; touches no other file than those of its names. Raises NotOurReadme before it writes anything."""
    wanted, changed = layout_files(spec), differing_from_layout(spec, folder)
    for path in (README, f"{EXAMPLE}/{README}"):
        if (text := _text(folder / path)) is not None and not text.startswith(MARK):
            raise NotOurReadme(folder / path)
    for path in changed:
        if path in wanted:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(wanted[path], encoding="utf-8")
        else:
            (folder / path).unlink()


def _text(file: Path) -> str | None:
    return file.read_text(encoding="utf-8") if file.is_file() else None


def _example(root: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a root module: without a backend, which is the reader's choice, and with the imports, which a module that is
    called can't have."""
    providers, imports = root["providers"], root.get("imports", {}).get("import", [])
    return {
        "terraform": {**root["versions"]["terraform"]},
        "variable": providers["variable"],
        "provider": providers["provider"],
        **({"import": [{**each, "to": f"module.{MODULE}.{each['to']}"} for each in imports]} if imports else {}),
        "module": {MODULE: {"source": "../.."}},
        "output": {
            MODULE: {
                "description": "The outputs that `firnline deploy --outputs -` reads.",
                "value": f"${{module.{MODULE}}}",
            }
        },
    }


def _readme(
    spec: EnvironmentSpec,
    resources: Mapping[str, Mapping[str, Any]],
    variables: Mapping[str, Any],
    outputs: Mapping[str, Any],
) -> str:
    counted = Counter({type_: len(each) for type_, each in resources.items()})
    terraform = json.loads(module_files(spec)["versions.tf.json"])["terraform"]["required_version"]
    lines = [
        *(MARK, "", f"# Kinesis to Snowflake: environment {spec.name}", ""),
        f"Streams in {spec.aws.region}, the Snowflake tables that their records go to, and the roles, secrets and storage that",
        "[Firnline](https://firnline.github.io/firnline/)'s engine needs to write each record exactly once.",
        "",
        "The module is made of a specification and has no other inputs than those below: to change it, change the",
        f"specification and run `firnline terraform {spec.name} --layout registry --into FOLDER` again.",
        *("", "## Usage", ""),
        *(
            "```hcl",
            f'module "{MODULE}" {{',
            '  source = "..." # the address where you publish this module',
            "}",
            "```",
            "",
        ),
        f"[{EXAMPLE}]({EXAMPLE}) is a whole root module, with both providers and the imports of the users' secrets.",
        *("", "## Requirements", "", "| Name | Version |", "|---|---|", f"| terraform | {terraform} |"),
        *(
            f"| [{each['source']}](https://registry.terraform.io/providers/{each['source']}) | {each['version']} |"
            for _, each in sorted(PROVIDERS.items())
        ),
        *("", "## Resources", "", "| Type | Count |", "|---|---|"),
        *(f"| {type_} | {counted[type_]} |" for type_ in sorted(counted)),
        *("", "## Inputs", "", *_inputs(variables)),
        *("", "## Outputs", "", "| Name | Description |", "|---|---|"),
        *(f"| {name} | {outputs[name]['description']} |" for name in sorted(outputs)),
    ]
    return "\n".join(lines) + "\n"


def _inputs(variables: Mapping[str, Any]) -> Iterator[str]:
    if not variables:
        yield "None."
        return
    yield from ("| Name | Description | Type | Default | Required |", "|---|---|---|---|---|")
    for name, each in sorted(variables.items()):
        yield f"| {name} | {each['description']} | `{each['type']}` | `{json.dumps(each['default'])}` | no |"


def _readme_of_example(spec: EnvironmentSpec) -> str:
    lines = [
        *(MARK, "", f"# Environment {spec.name}, whole", ""),
        "A root module that calls the module above it. In a copy of yours, write the address where the module is published",
        "in the place of `../..`, and add the backend that keeps your state.",
        "",
        *(
            "```sh",
            "terraform init",
            "terraform apply",
            f"terraform output -json {MODULE} | firnline deploy {spec.name} --outputs -",
        ),
        "```",
        "",
        "Credentials come from `AWS_*` and `SNOWFLAKE_*` variables.",
    ]
    return "\n".join(lines) + "\n"
