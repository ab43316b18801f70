"""Names that are made up here are as long, and of such letters, as their service takes.

A name that is given is checked by its own field; this is about the ones that follow from others, and says which field
makes them shorter.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from firnline_infra.specification.aws import BUCKET_NAME, Origin, Trust
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names, volume_names

ROLE, USER, BUCKET, TABLE, ALIAS, SECRET, PARAMETER = 64, 64, 63, 255, 256, 512, 1011  # characters
SHORTEST_TABLE = 3
ALARM = 255
PARAMETER_LEVELS = 15  # Systems Manager, PutParameter
PARAMETERS = ("engine-config-hash",)  # the longest of blueprint/stack_outputs.py
RESERVED_BUCKETS = re.compile(r"^(xn--|sthree-|amzn-s3-demo-).*|.*(-s3alias|--ol-s3|--x-s3|--table-s3)$")


@dataclass(frozen=True, kw_only=True)
class Derived:
    """A name that follows from others."""

    what: str
    name: str
    characters: int
    instead: str | None = None
    """The field that names it outright."""


def _names_fit(spec: EnvironmentSpec) -> Iterator[str]:
    root = "application" if spec.application else "name"
    for derived in _derived(spec):
        over = len(derived.name) - derived.characters
        if over > 0:
            instead = f", or give {derived.instead}" if derived.instead else ""
            yield (
                f"{root}: gives {derived.what} the name {derived.name!r} of {len(derived.name)} characters; "
                f"{derived.characters} are allowed. Shorten {root} by {over}{instead}."
            )


def _derived(spec: EnvironmentSpec) -> Iterator[Derived]:
    """Of what is made; a name that nothing has may be as long as it likes."""
    names, trust = Names.of(spec), spec.aws.runtime.trust
    if trust is Trust.STATIC_KEYS:
        yield Derived(what="the engine's user", name=names.engine_user, characters=USER)
    elif trust is not Trust.NOBODY and spec.aws.runtime.role is None:
        yield Derived(what="the engine's role", name=names.engine_role, characters=ROLE, instead="aws.runtime.role")
    if spec.aws.bucket.origin is Origin.CREATE and spec.aws.bucket.name is None:
        yield Derived(what="the bucket", name=names.bucket, characters=BUCKET, instead="aws.bucket.name")
    yield Derived(what="the key's alias", name=f"alias/{names.key_alias}", characters=ALIAS)
    yield Derived(what="the engine's secret", name=names.ingest_secret, characters=SECRET)
    if spec.ledger.table is None:
        yield Derived(what="the ledger", name=names.ledger_table, characters=TABLE, instead="ledger.table")
    for stream in spec.streams:
        alarm = f"{names.application}-{stream.name}-throttled"
        yield Derived(what=f"an alarm of {stream.name}", name=alarm, characters=ALARM)
    for index, volume in enumerate(spec.snowflake.external_volumes):
        path, derived = f"snowflake.external_volumes[{index}]", volume_names(spec, volume)
        yield Derived(
            what=f"the role of {volume.name}", name=derived.role, characters=ROLE, instead=f"a shorter {path}.name"
        )
        if volume.bucket is None:
            yield Derived(
                what=f"the bucket of {volume.name}", name=derived.bucket, characters=BUCKET, instead=f"{path}.bucket"
            )


def _the_migration_table_fits(spec: EnvironmentSpec) -> Iterator[str]:
    name = f"{Names.of(spec).ledger_table}_migration"
    if spec.ledger.migration and len(name) > TABLE:
        yield (
            f"ledger.table: gives the migration's table the name {name!r} of {len(name)} characters; {TABLE} are allowed. "
            f"Shorten it by {len(name) - TABLE}."
        )


def _the_ledger_is_long_enough(spec: EnvironmentSpec) -> Iterator[str]:
    if len(Names.of(spec).ledger_table) < SHORTEST_TABLE:
        yield (
            f"application: gives the ledger the name {Names.of(spec).ledger_table!r}; DynamoDB wants {SHORTEST_TABLE} "
            f"characters at least. Lengthen it, or give ledger.table."
        )


def _buckets_have_names_that_s3_takes(spec: EnvironmentSpec) -> Iterator[str]:
    buckets = {"aws.bucket.name": Names.of(spec).bucket} if spec.aws.bucket.origin is Origin.CREATE else {}
    for index, volume in enumerate(spec.snowflake.external_volumes):
        buckets[f"snowflake.external_volumes[{index}].bucket"] = volume_names(spec, volume).bucket
    for path, name in buckets.items():
        fits = re.fullmatch(BUCKET_NAME.pattern, name) or len(name) > BUCKET  # a length is told above
        if not fits or RESERVED_BUCKETS.fullmatch(name):
            yield f"{path}: {name!r} is no name that S3 takes; give another: small letters, digits and hyphens."


def _parameters_fit(spec: EnvironmentSpec) -> Iterator[str]:
    prefix = spec.publication.ssm_prefix
    if prefix is None:
        return
    path = "publication.ssm_prefix"
    if re.match(r"/(aws|ssm)", prefix, re.IGNORECASE):
        yield f"{path}: {prefix} begins with what Systems Manager keeps for itself; begin with neither aws nor ssm."
    if prefix.count("/") + 1 > PARAMETER_LEVELS:
        yield f"{path}: has {prefix.count('/')} levels, and one is added; {PARAMETER_LEVELS} are allowed in all."
    longest = max(
        len(f"arn:{spec.aws.partition}:ssm:{spec.aws.region}:{spec.aws.account}:parameter{prefix}/{each}")
        for each in PARAMETERS
    )
    if longest > PARAMETER:
        yield f"{path}: gives a parameter an ARN of {longest} characters; {PARAMETER} are allowed. Shorten it."


CHECKS = (
    _names_fit,
    _the_migration_table_fits,
    _the_ledger_is_long_enough,
    _buckets_have_names_that_s3_takes,
    _parameters_fit,
)
