"""Commands for the team that owns a stream elsewhere: they open it, by a role or by its own policy, for one engine alone."""

import json
import shlex
from collections.abc import Iterator

from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.iam.cross_account import engine_arn, owners_policy, owners_resource_policy, owners_trust
from firnline_infra.blueprint.iam.length import LIMITS, policy_length
from firnline_infra.environment import Environment
from firnline_infra.specification.aws import StreamOptions
from firnline_infra.specification.elsewhere import arn_of, is_opened_by_its_policy, place_of


def handed_over(environment: Environment) -> Iterator[str]:
    """A text for each role: two streams may have one. And one for each stream that its own policy opens."""
    by_role: dict[str, list[StreamOptions]] = {}
    for stream in environment.streams:
        if stream.role_arn is not None:
            by_role.setdefault(stream.role_arn, []).append(stream)
    for role, streams in by_role.items():
        yield _of_role(environment, role, streams)
    for stream in environment.streams:
        if is_opened_by_its_policy(environment.spec, stream):
            yield _by_policy(environment, stream)


def _by_policy(environment: Environment, stream: StreamOptions) -> str:
    place, arn = place_of(environment.spec, stream), arn_of(environment.spec, stream)
    policy, reader = _text(policy_document(owners_resource_policy(environment, stream))), engine_arn(environment)
    put = ["aws", "kinesis", "put-resource-policy", "--region", place.region, "--resource-arn", arn]
    return "\n".join(
        [
            f"# For whoever owns account {place.account}: lets {reader} read {stream.name} in {place.region}, and "
            "nothing else. A policy that the stream has already is replaced: put its statements in as well.",
            shlex.join([*put, "--policy", policy]),
            *_about(environment, stream, reader),
        ]
    )


def _of_role(environment: Environment, role: str, streams: list[StreamOptions]) -> str:
    place, name = place_of(environment.spec, streams[0]), role.rpartition("/")[2]
    path = role.partition(":role")[2].removesuffix(name)
    trust = policy_document((owners_trust(environment, streams[0]),))
    named = ", ".join(f"{stream.name} in {place_of(environment.spec, stream).region}" for stream in streams)
    make = ["aws", "iam", "create-role", "--role-name", name, *(("--path", path) if path != "/" else ())]
    lines = [
        f"# For whoever owns account {place.account}: lets {engine_arn(environment)} read {named}, and nothing else.",
        shlex.join([*make, "--assume-role-policy-document", _text(trust)]),
    ]
    by_region: dict[str, list[StreamOptions]] = {}
    for stream in streams:
        by_region.setdefault(place_of(environment.spec, stream).region, []).append(stream)
    policies = {f"firnline-{region}": owners_policy(environment, *there) for region, there in by_region.items()}
    for title, statements in policies.items():
        put = ["aws", "iam", "put-role-policy", "--role-name", name, "--policy-name", title]
        lines.append(shlex.join([*put, "--policy-document", _text(policy_document(statements))]))
    if (length := sum(map(policy_length, policies.values()))) > LIMITS["role"]:
        lines.append(
            f"# IAM takes {LIMITS['role']} characters of policies in a role, and these have {length}: share them among roles."
        )
    for stream in streams:
        lines += _about(environment, stream, role)
    return "\n".join(lines)


def _about(environment: Environment, stream: StreamOptions, reader: str) -> Iterator[str]:
    arn = arn_of(environment.spec, stream)
    if stream.key_arn is not None:
        by_iam = "" if is_opened_by_its_policy(environment.spec, stream) else ", or leave that to IAM"
        yield f"# The policy of {stream.key_arn} has to let {reader} decrypt{by_iam}."
    elif is_opened_by_its_policy(environment.spec, stream):
        yield (
            f"# If {arn} is encrypted, it needs a key of yours whose policy lets {reader} decrypt, and that is "
            "told as streams[].key_arn."
        )
    else:
        yield f"# If {arn} is encrypted with a key of yours, tell its ARN (streams[].key_arn): this grows by it."
    yield (
        f"# Alarms on what Kinesis counts of {stream.name} are yours: GetRecords.IteratorAgeMilliseconds and "
        "WriteProvisionedThroughputExceeded are in your CloudWatch alone."
    )


def _text(document: object) -> str:
    return json.dumps(document, separators=(",", ":"))
