"""Finds what is adopted in AWS and isn't there. Asked before an `up`, because the engine would be the first to miss it."""

from collections.abc import Callable, Iterator
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.accounts.aws import aws_call
from firnline_infra.blueprint import Blueprint
from firnline_infra.deploy.existing import FORBIDDEN, NOT_THERE
from firnline_infra.specification.elsewhere import adopted_here
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.origin import Origin

Asked = tuple[str, str, Callable[[], Any]]


def absent(spec: EnvironmentSpec, blueprint: Blueprint, accounts: Accounts) -> Iterator[str]:
    """A description of each. Raises AwsRefused if AWS can't be asked."""
    for path, name, describe in _asked(spec, blueprint, accounts):
        if (problem := _problem(name, describe)) is not None:
            yield f"{path}: {problem}"


def _asked(spec: EnvironmentSpec, blueprint: Blueprint, accounts: Accounts) -> Iterator[Asked]:
    kinesis = accounts.aws("kinesis")
    for index, stream in enumerate(spec.streams):
        if stream in adopted_here(spec):
            name = stream.name
            yield f"streams[{index}]", f"stream {name}", _call(kinesis.describe_stream_summary, StreamName=name)
    if (arn := spec.aws.key.arn) is not None:
        yield "aws.key", f"key {arn}", _call(accounts.aws("kms").describe_key, KeyId=arn)
    if spec.aws.bucket.origin is Origin.ADOPT:
        bucket = blueprint.names.bucket
        yield "aws.bucket", f"bucket {bucket}", _call(accounts.aws("s3").head_bucket, Bucket=bucket)
    if blueprint.adopted_role is not None:
        role = blueprint.names.engine_role
        yield "aws.runtime.role_arn", f"IAM role {role}", _call(accounts.aws("iam").get_role, RoleName=role)


def _call(describe: Callable[..., Any], **name: str) -> Callable[[], Any]:
    return lambda: describe(**name)


def _problem(name: str, describe: Callable[[], Any]) -> str | None:
    from botocore.exceptions import ClientError

    with aws_call("looking for", name):
        try:
            describe()
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code in NOT_THERE:
                return f"there is no {name} to adopt"
            if code in FORBIDDEN and name.startswith("bucket "):
                return f"{name} is in another account, or its policy keeps who deploys out"
            raise
    return None
