"""Checkov over the modules of the shipped environments, and over ten of prod's that break something it knows (scripts/policy).

It reads no policy that is JSON within JSON, and nothing of Snowflake: those are `firnline policy`'s alone.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from firnline_infra.specification import load_spec
from firnline_infra.terraform import write_module
from firnline_infra.terraform.module import CHECKOV_SETTINGS as SETTINGS

ENVIRONMENTS = Path(__file__).parents[3] / "stacks" / "environments"
SHIPPED = ("dev", "staging", "prod")
Resources = dict[str, dict[str, dict[str, Any]]]


def add(type_: str, **arguments: Any) -> Callable[[Resources], object]:
    return lambda resources: resources.setdefault(type_, {}).update({"added": arguments})


def change(type_: str, name: str, **arguments: Any) -> Callable[[Resources], object]:
    return lambda resources: resources[type_][name].update(arguments)


def remove(type_: str, name: str) -> Callable[[Resources], object]:
    return lambda resources: resources[type_].pop(name)


def trust_of(principal: str) -> str:
    return json.dumps({"Statement": [{"Effect": "Allow", "Principal": {"AWS": principal}, "Action": "sts:AssumeRole"}]})


ANYBODY = json.dumps({"Statement": [{"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "*"}]})
OWNER = {"object_ownership": "ObjectWriter"}
BREAKING: dict[str, Callable[[Resources], object]] = {
    "CKV_AWS_7": add("aws_kms_key", enable_key_rotation=False),
    "CKV_AWS_21": change("aws_s3_bucket_versioning", "bucket-versioning", versioning_configuration={"status": "Suspended"}),
    "CKV_AWS_24": add("aws_security_group", ingress=[{"from_port": 22, "to_port": 22, "cidr_blocks": ["0.0.0.0/0"]}]),
    "CKV_AWS_28": change("aws_dynamodb_table", "ledger-table", point_in_time_recovery={"enabled": False}),
    "CKV_AWS_43": change("aws_kinesis_stream", "stream-clicks-stream", encryption_type="NONE"),
    "CKV_AWS_54": change("aws_s3_bucket_public_access_block", "bucket-public-access", block_public_policy=False),
    "CKV_AWS_61": change("aws_iam_role", "engine-role-role", assume_role_policy=trust_of("arn:aws:iam::999900001111:root")),
    "CKV_AWS_70": change("aws_s3_bucket_policy", "bucket-policy", policy=ANYBODY),
    "CKV_AWS_274": add("aws_iam_role_policy_attachment", policy_arn="arn:aws:iam::aws:policy/AdministratorAccess", role="r"),
    "CKV2_AWS_6": remove("aws_s3_bucket_public_access_block", "bucket-public-access"),
    "CKV2_AWS_65": change("aws_s3_bucket_ownership_controls", "bucket-ownership", rule=OWNER),
}  # fmt: skip # a row, a case


def failed(checkov: Sequence[str], folder: Path) -> dict[str, set[str]]:
    """The checks that fail, by the folders of the modules in it. Raises where Checkov could not say."""
    settings = folder / SHIPPED[0] / SETTINGS
    command = [*checkov, "-d", str(folder), "--config-file", str(settings), "--quiet", "--skip-download", "-o", "json"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    document = json.loads(ended.stdout)
    if not document["summary"]["passed"] or document["summary"]["parsing_errors"]:
        raise AssertionError(f"Checkov could not read the modules: {ended.stdout[:500]}{ended.stderr[-2000:]}")
    found: dict[str, set[str]] = {}
    for each in document["results"]["failed_checks"]:
        found.setdefault(Path(each["file_path"]).parts[1], set()).add(each["check_id"])
    return found


def unexpected(checkov: Sequence[str], folder: Path) -> Iterator[str]:
    """A line for each module that is not judged as it should be."""
    for name in SHIPPED:
        write_module(load_spec(ENVIRONMENTS / f"{name}.yaml"), folder / name)
    for check, breaks in BREAKING.items():
        write_module(load_spec(ENVIRONMENTS / "prod.yaml"), folder / check)
        main = folder / check / "main.tf.json"
        document = json.loads(main.read_text())
        breaks(document["resource"])
        main.write_text(json.dumps(document, indent=2))
    found = failed(checkov, folder)
    yield from (f"{name}: {', '.join(sorted(found[name]))}" for name in SHIPPED if name in found)
    yield from (f"{check} is not found" for check in BREAKING if check not in found.get(check, ()))


def main(checkov: Sequence[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        problems = list(unexpected(checkov, Path(folder)))
    print("\n".join(problems) or f"Checkov: {', '.join(SHIPPED)} are clean, and {len(BREAKING)} broken ones are found.")
    return 3 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
