"""Commands for the team that owns a stream elsewhere: they open it, by a role or by its own policy, for one engine alone."""

import json
import shlex
from collections.abc import Iterator

from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.iam.cross_account import engine_arn, owners_policy, owners_resource_policy, owners_trust
from firnline_infra.blueprint.iam.length import LIMITS, policy_length
from firnline_infra.environment import Environment
from firnline_infra.specification.source_streams import SourceStream


def handed_over(environment: Environment) -> Iterator[str]:
    """A text for each role: two streams may have one. And one for each stream that its own policy opens."""
    by_role: dict[str, list[SourceStream]] = {}
    for stream in environment.sources:
        if (role := stream.options.role_arn) is not None:
            by_role.setdefault(role, []).append(stream)
    for role, streams in by_role.items():
        yield _of_role(environment, role, streams)
    for stream in environment.sources:
        if stream.is_opened_by_its_policy:
            yield _by_policy(environment, stream)


def _by_policy(environment: Environment, stream: SourceStream) -> str:
    policy, reader = _text(policy_document(owners_resource_policy(environment, stream))), engine_arn(environment)
    put = ["aws", "kinesis", "put-resource-policy", "--region", stream.region, "--resource-arn", stream.arn]
    return "\n".join(
        [
            f"# For whoever owns account {stream.account}: lets {reader} read {stream.name} in {stream.region}, and "
            "nothing else. A policy that the stream has already is replaced: put its statements in as well.",
            shlex.join([*put, "--policy", policy]),
            *_about(stream, reader),
        ]
    )


def _of_role(environment: Environment, role: str, streams: list[SourceStream]) -> str:
    account, name = streams[0].account, role.rpartition("/")[2]
    path = role.partition(":role")[2].removesuffix(name)
    trust = policy_document((owners_trust(environment, streams[0]),))
    named = ", ".join(f"{stream.name} in {stream.region}" for stream in streams)
    make = ["aws", "iam", "create-role", "--role-name", name, *(("--path", path) if path != "/" else ())]
    lines = [
        f"# For whoever owns account {account}: lets {engine_arn(environment)} read {named}, and nothing else.",
        shlex.join([*make, "--assume-role-policy-document", _text(trust)]),
    ]
    by_region: dict[str, list[SourceStream]] = {}
    for stream in streams:
        by_region.setdefault(stream.region, []).append(stream)
    policies = {f"firnline-{region}": owners_policy(*there) for region, there in by_region.items()}
    for title, statements in policies.items():
        put = ["aws", "iam", "put-role-policy", "--role-name", name, "--policy-name", title]
        lines.append(shlex.join([*put, "--policy-document", _text(policy_document(statements))]))
    if (length := sum(map(policy_length, policies.values()))) > LIMITS["role"]:
        lines.append(
            f"# IAM takes {LIMITS['role']} characters of policies in a role, and these have {length}: share them among roles."
        )
    for stream in streams:
        lines += _about(stream, role)
    return "\n".join(lines)


def _about(stream: SourceStream, reader: str) -> Iterator[str]:
    if (key_arn := stream.options.key_arn) is not None:
        by_iam = "" if stream.is_opened_by_its_policy else ", or leave that to IAM"
        yield f"# The policy of {key_arn} has to let {reader} decrypt{by_iam}."
    elif stream.is_opened_by_its_policy:
        yield (
            f"# If {stream.arn} is encrypted, it needs a key of yours whose policy lets {reader} decrypt, and that is "
            "told as streams[].key_arn."
        )
    else:
        yield f"# If {stream.arn} is encrypted with a key of yours, tell its ARN (streams[].key_arn): this grows by it."
    yield (
        f"# Alarms on what Kinesis counts of {stream.name} are yours: GetRecords.IteratorAgeMilliseconds and "
        "WriteProvisionedThroughputExceeded are in your CloudWatch alone."
    )


def _text(document: object) -> str:
    return json.dumps(document, separators=(",", ":"))
