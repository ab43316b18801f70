"""Modules of every sort of environment, and the inputs that it refuses, as the stock AWS provider itself judges them.

Its binary is one that Terraform finds in a mirror of the machine; where none is installed, this is skipped. No network:
validating asks no cloud.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.specification import EnvironmentSpec
from firnline_infra.terraform import module_files
from tests.infra.pulumi.conftest import IAM_USER, _spec_of
from tests.infra.pulumi.test_beside_terraform import CASES
from tests.local.terraform.stock_inputs import REFUSED, TAKEN

pytestmark = [pytest.mark.slow, pytest.mark.terraform, pytest.mark.timeout(300)]
MIRRORS = (
    *(Path(each) for each in ("/usr/share/terraform/plugins", "/usr/local/share/terraform/plugins")),
    *Path("/opt").glob("*"),
)
BINARY = "registry.terraform.io/hashicorp/aws/*/*/terraform-provider-aws*"
SINCE_6: Mapping[str, tuple[str, ...]] = {
    "aws_emrserverless_application": ("scheduler_configuration",),
    "aws_kinesis_stream": ("max_record_size_in_kib",),
    "aws_kinesis_stream_consumer": ("tags",),
}
"""What a provider of version 5 does not have yet."""


@pytest.fixture(scope="module")
def provider() -> Path:
    found = sorted(binary for mirror in MIRRORS for binary in mirror.glob(BINARY))
    if not found:
        pytest.skip("no mirror of this machine has hashicorp/aws")
    return found[-1]


def rendered(spec: EnvironmentSpec, mark: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each resource of AWS: type, label, block. `mark` goes before labels; what Snowflake answers is made up."""
    main = json.loads(module_files(spec)["main.tf.json"])["resource"]
    text = json.dumps({type_: blocks for type_, blocks in main.items() if type_.startswith("aws_")})
    text = re.sub(r"\$\{(snowflake_|local\.)[^}]+\}", IAM_USER, text)
    text = re.sub(r"\$\{(aws_\w+)\.", rf"${{\1.{mark}", text)
    for type_, blocks in json.loads(text).items():
        for label, block in blocks.items():
            yield type_, f"{mark}{label}", {name: each for name, each in block.items() if name != "depends_on"}


def validated(terraform: Path, provider: Path, folder: Path, resources: Mapping[str, Any]) -> dict[str, list[str]]:
    """Returns what is wrong with each resource, by its address."""
    settings = folder / "settings.tfrc"
    override = f'dev_overrides {{ "hashicorp/aws" = "{provider.parent}" }}'
    settings.write_text(f"provider_installation {{ {override} }}")
    (folder / "main.tf.json").write_text(json.dumps({"resource": resources}))
    environment = {**os.environ, "TF_CLI_CONFIG_FILE": str(settings), "CHECKPOINT_DISABLE": "1"}
    command = [str(terraform), f"-chdir={folder}", "validate", "-json"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=240)
    found: dict[str, list[str]] = {}
    for each in json.loads(ended.stdout)["diagnostics"]:
        if each["severity"] == "error":
            context = str((each.get("snippet") or {}).get("context"))  # resource.TYPE.LABEL, and what is in it
            said = f"{each['summary']} {each.get('detail', '')}"
            found.setdefault(".".join(context.split(".")[1:3]), []).append(said)
    return found


def test_it_takes_what_is_rendered_and_refuses_what_the_embedded_one_refuses(
    terraform_binary: Path, provider: Path, tmp_path: Path
) -> None:
    resources: dict[str, dict[str, Any]] = {type_: {"taken": said} for type_, said in TAKEN.items()}
    for number, (name, changes) in enumerate(CASES.values()):
        for type_, label, block in rendered(_spec_of(name, **changes), f"case{number}-"):
            later = SINCE_6.get(type_, ()) if "/5." in str(provider) else ()
            resources.setdefault(type_, {})[label] = {key: each for key, each in block.items() if key not in later}
    refused = set()
    for type_, every in REFUSED.items():
        for number, said in enumerate(every):
            given = {**TAKEN[type_], **said}
            resources[type_][f"refused{number}"] = {name: each for name, each in given.items() if each is not None}
            refused.add(f"{type_}.refused{number}")
    found = validated(terraform_binary, provider, tmp_path, resources)
    assert {address: said for address, said in found.items() if address not in refused} == {}
    assert refused - found.keys() == set()
