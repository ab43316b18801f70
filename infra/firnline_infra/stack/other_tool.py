"""Checks that the state of the other tool does not hold the environment: two tools would each undo what the other one does.

Pulumi and Terraform keep their states side by side in the bootstrap's bucket, so that each state is the other tool's marker, and
plain `pulumi up` and `terraform apply` set it too. A state that is kept elsewhere is not seen; what it holds still stops an `up`,
because it exists (AlreadyThere).
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from firnline_infra.accounts.aws import aws_call
from firnline_infra.accounts.errors import AwsRefused
from firnline_infra.kinds.comparison import Clients
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import bootstrap_names
from firnline_infra.stack.errors import OtherTool
from firnline_infra.terraform.module import state_key
from firnline_infra.terraform.stack import TERRAFORM

PULUMI = "Pulumi"
STACKS = ".pulumi/stacks/"


def held_by_other_tool(spec: EnvironmentSpec, clients: Clients, ours: str) -> Iterator[OtherTool]:
    """Yields one for each state of the other tool that holds something. `ours` is PULUMI or TERRAFORM."""
    bucket, other = bootstrap_names(spec).state_bucket, PULUMI if ours == TERRAFORM else TERRAFORM
    s3 = clients("s3")
    with suppress(AwsRefused), aws_call("s3:GetObject", f"s3://{bucket}"):
        for key in list(_stacks(s3, bucket, spec.name)) if other == PULUMI else [state_key(spec)]:
            if count := _resources(json.loads(s3.get_object(Bucket=bucket, Key=key)["Body"].read())):
                place = f"s3://{bucket}/{key}"
                yield OtherTool(spec.name, ours=ours, other=other, place=place, resources=count)


def _stacks(s3: Any, bucket: str, environment: str) -> Iterator[str]:
    """The stacks of every project: each layer of an environment is a stack of the environment's name."""
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=STACKS):
        yield from (each["Key"] for each in page.get("Contents", ()) if each["Key"].endswith(f"/{environment}.json"))


def _resources(state: Mapping[str, Any]) -> int:
    """The number of objects of a cloud that the state holds; one for a state that OpenTofu has encrypted."""
    if "checkpoint" in state:
        found = (state["checkpoint"].get("latest") or {}).get("resources") or ()
        return sum(1 for each in found if each.get("custom") and not each["type"].startswith("pulumi:"))
    managed = [each for each in state.get("resources") or () if each.get("mode") == "managed" and each.get("instances")]
    return len(managed) or int("encrypted_data" in state)
