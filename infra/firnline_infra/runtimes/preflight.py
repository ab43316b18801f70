"""Checks of a job before anything is stopped, whatever the service: its objects are there, its role trusts."""

import json
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from firnline_infra.blueprint.iam.statement import service_names
from firnline_infra.runtimes.aws import bucket_and_key, call, is_missing
from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.runtimes.service import Problem


def missing_objects(s3: Any, uris: Iterable[str]) -> Iterator[Problem]:
    """Looks for those that are in S3; a path in an image can't be looked at."""
    for uri in uris:
        bucket, key = bucket_and_key(uri)
        if not uri.startswith("s3"):
            continue
        try:
            with call("s3:HeadObject", uri):
                s3.head_object(Bucket=bucket, Key=key)
        except RuntimeRefused as error:
            if not is_missing(error):
                raise
            yield Problem(
                what=f"{uri} is not there.",
                next_step="firnline up puts artefact and configuration there; for a rollback they have to be there still: see "
                "which lifecycle rule of the bucket removed it, or who.",
            )


def distrust(iam: Any, role_arn: str | None, principal: str) -> Iterator[Problem]:
    """Finds a job's role that is gone, or does not let the service assume it."""
    if role_arn is None:
        return
    name = role_arn.rpartition("/")[2]
    try:
        with call("iam:GetRole", name):
            document = iam.get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"]
    except RuntimeRefused as error:
        if not is_missing(error):
            raise
        yield Problem(what=f"The job's role {role_arn} does not exist.", next_step="firnline up makes it.")
        return
    trust = json.loads(unquote(document)) if isinstance(document, str) else document
    names = service_names(principal, role_arn.split(":")[1])
    if not set(names) & set(_trusted(trust)):
        yield Problem(
            what=f"The job's role {role_arn} does not let {names[-1]} assume it.",
            next_step="aws.runtime.trust has to fit where the engine runs; firnline preview shows whether somebody changed the "
            "role, and firnline up sets it back.",
        )


def _trusted(document: dict[str, Any]) -> Iterator[str]:
    for statement in document.get("Statement", ()):
        principals = statement.get("Principal", {})
        if statement.get("Effect") != "Allow" or not isinstance(principals, dict):
            continue
        for named in principals.values():
            yield from [named] if isinstance(named, str) else named
