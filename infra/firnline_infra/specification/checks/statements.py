"""Extra statements add a use of something, and open none of the fences: no administration, nothing of the environment's own.

The rules are by names of services and actions, because no table of AWS's actions is installed with the toolkit; a test holds
them against AWS's own.
"""

import re
from collections.abc import Iterator
from functools import cache

from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names, bootstrap_names, volume_names
from firnline_infra.specification.runtime import Trust
from firnline_infra.specification.service_users import service_users
from firnline_infra.specification.source_streams import source_streams
from firnline_infra.specification.statements import Allowance, ExtraStatement
from firnline_ingest.config.patterns import wildcard

ADMINISTRATORS = frozenset(
    {
        *("iam", "sts", "organizations", "account", "ram", "access-analyzer", "rolesanywhere", "verifiedpermissions"),
        *("sso", "sso-directory", "sso-oauth", "identitystore", "identitystore-auth", "identity-sync", "signin"),
        *("cloudformation", "cloudtrail", "config", "lakeformation"),
    }
)
"""Services that say who may do what, or make anything at all."""
HANDING_OUT = (
    *("cognito-identity:GetCredentialsForIdentity", "cognito-identity:GetOpenIdTokenForDeveloperIdentity"),
    *("datazone:GetDomainExecutionRoleCredentials", "datazone:GetEnvironmentCredentials", "ec2:GetPasswordData"),
    *("elasticmapreduce:GetClusterSessionCredentials", "emr-containers:GetManagedEndpointSessionCredentials"),
    *("events:RetrieveConnectionCredentials", "finspace-api:GetProgrammaticAccessCredentials"),
    *("gamelift:GetComputeAccess", "gamelift:GetInstanceAccess", "lightsail:GetInstanceAccessDetails"),
)
"""Called like readings: whoever may them is another role, or on a machine that is one."""
KEY_USES = frozenset(
    {
        *("Encrypt", "Decrypt", "ReEncryptFrom", "ReEncryptTo", "DescribeKey", "GetPublicKey"),
        *("GenerateDataKey", "GenerateDataKeyWithoutPlaintext", "Sign", "Verify", "GenerateMac", "VerifyMac"),
    }
)
READS = r"Get|List|Describe|BatchGet|Query|Scan|Search|Select|Retrieve|Receive|Head|ConditionCheck|Check"
USES = (
    rf"({READS})[A-Za-z]*"
    r"|(Put|Delete|Update|BatchWrite|BatchDelete)(Items?|Objects?|ObjectVersion|ObjectTagging|Records?|RecordBatch|Events)"
    r"|(Put|Create)(MetricData|LogEvents|LogStream|TraceSegments|TelemetryRecords)|WriteRecords|RegisterSchemaVersion"
    r"|(Send|Delete)Message(Batch)?|ChangeMessageVisibility|Publish|AbortMultipartUpload|PartiQL(Select|Insert|Update|Delete)"
    r"|Invoke[A-Za-z]*|ESHttp[A-Za-z]+|(Execute|BatchExecute)Statement|Start(QueryExecution|ConfigurationSession|Query)"
)
"""Names of actions that use something. Whatever else there is makes, changes or removes it, or says who may."""
READS_WITH_STAR = r"(Get|List|Describe|BatchGet)[A-Za-z]*\*"
WILD = frozenset("*?")


def _reasons_are_one_line(spec: EnvironmentSpec) -> Iterator[str]:
    """They are shown to whoever reviews, in lines of their own; nothing in one may look like another, or hide it."""
    for path, statement in _statements(spec):
        for field, text in (("why", statement.why), ("wildcards", statement.wildcards or "")):
            if not text.strip().isprintable():
                yield f"{path}.{field}: {text!r} has a line's end or a control character in it; write it in one line."


def _conditions_ask_something(spec: EnvironmentSpec) -> Iterator[str]:
    for path, statement in _statements(spec):
        for operator, keys in statement.conditions.items():
            if not keys or any(value == [] for value in keys.values()):
                yield f"{path}.conditions.{operator}: must have a key and a value; give them, or remove it."


def _arns_are_of_the_partition(spec: EnvironmentSpec) -> Iterator[str]:
    for path, statement in _statements(spec):
        for resource in statement.resources:
            if resource != "*" and (found := resource.split(":")[1]) != spec.aws.partition:
                yield f"{path}.resources: {resource} is of partition {found}; expected {spec.aws.partition}, as in aws.partition."


def _there_is_a_role_for_them(spec: EnvironmentSpec) -> Iterator[str]:
    if spec.aws.runtime.statements and spec.aws.runtime.trust is Trust.NOBODY:
        yield "aws.runtime.statements: with trust: nobody no role or user is created that could have them; remove them."


def _each_has_a_name_of_its_own(spec: EnvironmentSpec) -> Iterator[str]:
    seen: set[str] = set()
    for path, statement in _statements(spec):
        if statement.sid in seen:
            yield f"{path}.sid: {statement.sid} is already the name of another statement."
        seen.add(statement.sid)


def _wildcards_are_said(spec: EnvironmentSpec) -> Iterator[str]:
    for path, statement in _allowing(spec):
        found = [each for each in (*statement.actions, *statement.resources) if not WILD.isdisjoint(each)]
        if found and statement.wildcards is None:
            yield f"{path}: allows {', '.join(found)}; name what is meant, or say in `wildcards` why that can't be."
        if not found and statement.wildcards is not None:
            yield f"{path}.wildcards: no * or ? is in it; remove the reason."
        for action in statement.actions:
            name = action.partition(":")[2]
            if not WILD.isdisjoint(name) and not re.fullmatch(READS_WITH_STAR, name):
                yield (
                    f"{path}.actions: {action} may be more tomorrow than it is today; name each action (a * may stand behind "
                    f"Get, List, Describe and BatchGet)."
                )


def _nothing_is_administered(spec: EnvironmentSpec) -> Iterator[str]:
    for path, statement in _allowing(spec):
        for action in statement.actions:
            if why := _refused(action):
                yield (
                    f"{path}.actions: {action} {why}; the engine is only given the use of things. Leave it to a role "
                    f"of your own, or write the action as AWS does."
                )


def _refused(action: str) -> str | None:
    service, _, name = action.partition(":")
    if service in ADMINISTRATORS:
        return f"is of {service}, which says who may do what"
    if any(_meet(action.lower(), each.lower()) for each in HANDING_OUT):  # to IAM their case is one
        return "hands out the rights of others"
    if service == "kms":
        return None if name in KEY_USES else "is not a use of a key"
    if not WILD.isdisjoint(name):
        return None  # told by itself
    return None if re.fullmatch(USES, name) else "makes, changes or removes something, or says who may"


def _keys_are_named(spec: EnvironmentSpec) -> Iterator[str]:
    for path, statement in _allowing(spec):
        if not any(action.startswith("kms:") for action in statement.actions):
            continue
        for resource in statement.resources:
            if not WILD.isdisjoint(resource):
                yield f"{path}.resources: {resource} would be keys of others too, Pulumi's state's among them; name the key."


def _what_the_environment_has_is_left_alone(spec: EnvironmentSpec) -> Iterator[str]:
    """The rights there are exactly what the engine needs; more of them would let it undo what guards its own rows."""
    own = dict(_own(spec))
    for path, statement in _allowing(spec):
        services = {action.partition(":")[0] for action in statement.actions}
        for resource in statement.resources:
            held = [what for arn, what in own.items() if arn.split(":")[2] in services and _meet(resource, arn)]
            for what in (*held, *(_found_by_a_pattern(spec, resource) if "kinesis" in services else ())):
                yield (
                    f"{path}.resources: {resource} is, or holds, {what} of this environment; the engine has the rights there "
                    f"that it needs, and nobody's statement adds to them."
                )


def _own(spec: EnvironmentSpec) -> Iterator[tuple[str, str]]:
    arns, names, made = Arns(spec), Names.of(spec), bootstrap_names(spec)
    for bucket, what in {made.state_bucket: "the bucket of Pulumi's state", names.bucket: "the bucket"}.items():
        yield arns.bucket(bucket), what
        yield f"{arns.bucket(bucket)}/*", f"what is in {what}"
    for volume in spec.snowflake.external_volumes:
        bucket = volume_names(spec, volume).bucket
        yield arns.bucket(bucket), f"the bucket of volume {volume.name}"
        yield f"{arns.bucket(bucket)}/*", f"what is in the bucket of volume {volume.name}"
    yield arns.table(names.ledger_table), "the ledger"
    yield f"{arns.table(names.ledger_table)}/*", "the ledger"
    users = service_users(spec)
    for secret in (*(each.secret for each in users), names.access_key_secret):
        yield arns.secret(secret), f"the secret {secret}"
    for arn in (each.options.secret_arn for each in users):
        if arn is not None:
            yield arn, "a secret"
    if spec.ledger.migration:
        yield arns.table(f"{names.ledger_table}_migration"), "the journal of the migration"
    for stream in source_streams(spec):
        yield stream.arn, f"the stream {stream.name}"
        yield f"{stream.arn}/*", f"a consumer of the stream {stream.name}"


def _found_by_a_pattern(spec: EnvironmentSpec, resource: str) -> Iterator[str]:
    """Compares a resource with a * or ? by the beginning and the end of the pattern's names alone."""
    for also in filter(None, (pipeline.stream_pattern for pipeline in spec.pipelines)):
        found = Arns(spec).stream(wildcard(also))
        name = resource.partition("/")[2].partition("/")[0]
        if _meet(resource, found) and (not WILD.isdisjoint(resource) or re.fullmatch(also, name, re.ASCII)):
            yield f"a stream that {also} finds"


@cache
def _meet(one: str, other: str) -> bool:
    """Returns whether one text fits both patterns, in which * stands for anything and ? for a character."""
    waiting, seen = [(0, 0)], set[tuple[int, int]]()
    while waiting:
        left, right = place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        if left == len(one) and right == len(other):
            return True
        first, second = one[left : left + 1], other[right : right + 1]
        if first == "*":
            waiting.append((left + 1, right))
        if second == "*":
            waiting.append((left, right + 1))
        if first and second and (first == second or {first, second} & {"*", "?"}):
            waiting.append((left + (first != "*"), right + (second != "*")))
    return False


def _statements(spec: EnvironmentSpec) -> Iterator[tuple[str, ExtraStatement]]:
    for index, statement in enumerate(spec.aws.runtime.statements):
        yield f"aws.runtime.statements[{index}]", statement


def _allowing(spec: EnvironmentSpec) -> Iterator[tuple[str, ExtraStatement]]:
    return ((path, each) for path, each in _statements(spec) if each.effect is Allowance.ALLOW)


CHECKS = (
    _reasons_are_one_line,
    _conditions_ask_something,
    _arns_are_of_the_partition,
    _there_is_a_role_for_them,
    _each_has_a_name_of_its_own,
    _wildcards_are_said,
    _nothing_is_administered,
    _keys_are_named,
    _what_the_environment_has_is_left_alone,
)
