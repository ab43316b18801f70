"""Resource by resource, Terraform makes what Pulumi makes: arguments, order, protection. Each difference has its reason here.

What the runtimes have that no shipped environment has is golden beside it: FIRNLINE_WRITE_GOLDEN=1 writes it anew.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.specification import EnvironmentSpec
from firnline_infra.terraform import module_files
from firnline_local.pulumi.equality import same
from firnline_local.pulumi.schema import attributes_of, fields_of
from firnline_local.terraform.schema import TOKENS, is_block
from firnline_local.terraform.values import as_properties
from tests.infra.pulumi.conftest import IAM_USER, Deploy, Deployment, Registered, SpecOf, deployed, program

GOLDEN = Path(__file__).parent / "golden" / "runtimes.txt"
VPC, SUBNETS = "vpc-0a1b2c3d4e5f60718", ["subnet-0a1b2c3d4e5f60718", "subnet-1a1b2c3d4e5f60718"]
SERVERLESS: dict[str, Any] = {"subnets": SUBNETS, "security_group": {"vpc": VPC}, "log_group": "/firnline/dev"}
ENDPOINTS = {
    "vpc": VPC,
    "route_tables": ["rtb-0a1b2c3d"],
    "subnets": SUBNETS,
    "clients": ["10.0.0.0/16"],
}
ONLY_PULUMI = {
    # Terraform would delete the one of a job that still runs: `firnline up` puts it there, under the same name.
    "aws:s3/bucketObjectv2:BucketObjectv2",
}
ONLY_TERRAFORM = {
    # Pulumi tries again while AWS does not know a new role everywhere; Terraform can't, and waits.
    "terraform_data",
}
LARGE: dict[str, Any] = {
    "aws": {"runtime": {"emr_serverless": SERVERLESS}},
    "streams": [{"name": f"stream-{number}", "shards": number % 3 + 1} for number in range(40)],
    "pipelines": [
        {
            "stream": f"stream-{number}",
            "database": f"FIRNLINE_{number % 4}",
            "schema": "RAW",
            "table": f"T_{number}",
            "file_replay": number % 5 == 0,
        }
        for number in range(40)
    ],
}
ON_EC2 = {"subnet": SUBNETS[0], "security_group": {"vpc": VPC}, "core_nodes": 3}
KEY = {"origin": "adopt", "arn": "arn:aws:kms:eu-central-1:111122223333:key/1-2"}
PODS = {"trust": "pod-identity", "cluster": "platform", "namespace": "ingest"}
RUNTIMES: dict[str, dict[str, Any]] = {
    "emr on ec2": {
        "aws": {"runtime": {"trust": "emr-ec2", "emr_ec2": ON_EC2}},
        "network": {"vpc_endpoints": ENDPOINTS},
    },
    "emr on eks": {"aws": {"runtime": {**PODS, "emr_eks": {}}}},
    "operator": {"aws": {"runtime": {**PODS, "service_account": "engine", "kubernetes": {}}, "key": KEY}},
}
CASES: dict[str, tuple[str, Mapping[str, Any]]] = {
    **{name: (name, {}) for name in ("local", "dev", "staging", "prod")},
    "large": ("dev", LARGE),
    **{name: ("dev", changes) for name, changes in RUNTIMES.items()},
    "static keys": ("dev", {"aws": {"runtime": {"trust": "static-keys"}}}),
    "migration": ("prod", {"ledger": {"migration": True}}),
}


class Module:
    """A rendered module, in which references are what the mocks of Pulumi's tests answer."""

    def __init__(self, spec: EnvironmentSpec, names: Mapping[str, str]) -> None:
        """`names`: Pulumi's logical name by Terraform's address."""
        files = {name: json.loads(text) for name, text in module_files(spec).items()}
        self.names = names
        self.locals = files["main.tf.json"]["locals"]
        self._outputs = files["outputs.tf.json"]["output"]
        self.blocks = {
            f"{type_}.{label}": block
            for type_, blocks in files["main.tf.json"]["resource"].items()
            for label, block in blocks.items()
        }

    @property
    def outputs(self) -> dict[str, Any]:
        config = {"value": json.loads(self.value(self.locals["engine_config"]))}
        whole = {**self._outputs, "engine_config": config}
        return {name: self.value(each["value"]) for name, each in whole.items()}

    @property
    def place(self) -> object:
        return self._outputs.get("engine_place", {}).get("value")

    def value(self, value: Any) -> Any:
        match value:
            case Mapping():
                return {name: self.value(each) for name, each in value.items()}
            case list():
                return [self.value(each) for each in value]
            case str():
                text = re.sub(r"(?<!\$)\$\{([^}]+)\}", lambda found: self._answer(found[1]), value)
                return text.replace("$${", "${").replace("%%{", "%{")
            case _:
                return value

    def _answer(self, expression: str) -> str:
        if expression == "local.engine_config_hash":
            return "HASH"
        address, attribute = re.fullmatch(r"(\w+\.[\w-]+)\.(.+)", expression).groups()  # type: ignore[union-attr] # all are
        name = self.names[address]
        answers = {"arn": f"arn:aws:of:::{name}", "id": f"{name}-id", "key_id": f"id-of-{name}"}
        if attribute.endswith("storage_aws_iam_user_arn"):
            return IAM_USER
        return answers.get(attribute) or str(self.value(self.blocks[address][attribute]))

    def after(self, address: str) -> set[str]:
        """The resources that it is made after, by Pulumi's names."""
        block = self.blocks[address]
        text = json.dumps(block)
        text += json.dumps(self.locals) if "local." in text else ""
        named = re.findall(r"\$\{(\w+\.[\w-]+)\.", text)
        return {self.names[each] for each in (*named, *block.get("depends_on", ())) if each in self.names}


def addresses(made: Deployment, blocks: Mapping[str, Any]) -> dict[str, str]:
    """Pulumi's name by Terraform's address: the same name, as Terraform can write it."""
    types = {token: type_ for type_, token in TOKENS.items()}
    found = {}
    for each in made.made:
        if each.type not in ONLY_PULUMI:
            prefix = f"{types[each.type]}.{re.sub('[^A-Za-z0-9_-]', '-', each.name)}"
            (address,) = [address for address in blocks if re.fullmatch(re.escape(prefix) + "(-[0-9a-f]{6})?", address)]
            found[address] = each.name
    return found


def differences(module: Module, address: str, registered: Registered) -> Iterator[str]:
    block = {name: each for name, each in module.blocks[address].items() if name not in ("depends_on", "lifecycle")}
    wanted = as_properties(registered.type, module.value(block), inputs_only=True)
    fields = fields_of(registered.type)
    for name in {*wanted, *registered.inputs}:
        if not same(fields[name].shape, wanted.get(name), hashless(registered.inputs.get(name))):
            yield f"{address} {name}: {wanted.get(name)!r}, {registered.inputs.get(name)!r} by Pulumi"
    for name, said in attributes_of(registered.type).items():
        if isinstance(said, Mapping) and not is_block(said):  # of these, each object has every argument
            lacking = {missing for each in block.get(name, ()) for missing in said["fields"].keys() - each.keys()}
            yield from (f"{address} {name}: {missing} is not said" for missing in sorted(lacking))
    lifecycle = module.blocks[address].get("lifecycle", {})
    ignored = {name for name, field in fields.items() if field.attribute in lifecycle.get("ignore_changes", ())}
    if ignored != set(registered.ignore_changes):
        yield f"{address} ignores {ignored}, {registered.ignore_changes} by Pulumi"
    if lifecycle.get("prevent_destroy", False) != registered.protect:
        yield f"{address} is protected by one alone"


def hashless(value: Any) -> Any:
    match value:
        case Mapping():
            return {name: hashless(each) for name, each in value.items()}
        case list():
            return [hashless(each) for each in value]
        case str():
            return re.sub(r"\b[0-9a-f]{16}\b", "HASH", value)
        case _:
            return value


@pytest.mark.parametrize("case", CASES)
def test_both_renderings_make_the_same_in_the_same_order(case: str, deploy: Deploy, spec_of: SpecOf) -> None:
    """Each has before a resource whatever the other has before it too, directly or by what is between them."""
    name, changes = CASES[case]
    spec = spec_of(name, **changes)
    made, module = deploy(program(spec)) if changes else deployed(name), Module(spec, {})
    names = module.names = addresses(made, module.blocks)
    registered = {each.name: each for each in made.made}
    assert {address.partition(".")[0] for address in module.blocks.keys() - names.keys()} <= ONLY_TERRAFORM
    assert [each for address, name in names.items() for each in differences(module, address, registered[name])] == []

    by_terraform = {name: module.after(address) for address, name in names.items()}
    by_pulumi = {name: each.after & registered.keys() for name, each in registered.items()}
    for name in names.values():
        assert by_pulumi[name] & by_terraform.keys() <= closure(name, by_terraform), name
        assert by_terraform[name] <= closure(name, by_pulumi), name
    assert module.outputs == hashless(made.outputs)
    written = [each.inputs["content"] for each in made.made if each.type in ONLY_PULUMI]
    assert written in ([], [module.value(module.locals["engine_config"])])


def test_what_a_runtime_adds_to_an_environment_is_what_was_reviewed(spec_of: SpecOf) -> None:
    """A line an argument that `dev` does not have as it stands; the engine's policy has tests of its own (blueprint/iam)."""
    before, lines = Module(spec_of("dev"), {}).blocks, list[str]()
    for case, changes in RUNTIMES.items():
        made = Module(spec_of("dev", **changes), {})
        for address, block in made.blocks.items():
            known = before.get(address, {})
            added = {name: value for name, value in block.items() if value != known.get(name)}
            if not address.startswith("aws_iam_role_policy."):
                lines += [f"{case}: {address} {name} = {json.dumps(value)}" for name, value in added.items()]
        lines.append(f"{case}: place = {json.dumps(made.place)}")
    text = "\n".join(lines) + "\n"
    if os.environ.get("FIRNLINE_WRITE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
        pytest.fail(f"{GOLDEN.name} was written: review it, and run the test again")
    assert text == GOLDEN.read_text(encoding="utf-8")


def closure(name: str, after: Mapping[str, AbstractSet[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        before = after[waiting.pop()] - found
        found |= before
        waiting += before
    return found
