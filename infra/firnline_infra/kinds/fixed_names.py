"""Names under which an environment makes objects, where two of one name can't be: what FL-6133 asks the clouds about, by the
specification alone.

A row of a kind that has a lookup has a fixed name; so do all of Snowflake's objects. WITHOUT has the kinds of which two may be.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.environment import Environment
from firnline_infra.kinds import KINDS, buckets, ecr, emr, iam, network, observability
from firnline_infra.kinds.eks import ASSOCIATION
from firnline_infra.kinds.emr import VIRTUAL_CLUSTER, eks_namespace
from firnline_infra.kinds.keys_and_secrets import ALIAS, KEY
from firnline_infra.kinds.kind import Kind
from firnline_infra.kinds.network import SECURITY_GROUP
from firnline_infra.kinds.snowflake import SNOWFLAKE_KINDS
from firnline_infra.kinds.streams import CONSUMER, stream_of
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.names import Principal, volume_names
from firnline_infra.specification.snowflake import ServiceUser

A_BUCKETS, AN_ID = "it is a bucket's", "AWS gives it an id, and takes a name twice"
WITHOUT: Mapping[Kind, str] = {
    **dict.fromkeys((buckets.VERSIONING, buckets.ENCRYPTION, buckets.PUBLIC_ACCESS_BLOCK), A_BUCKETS),
    **dict.fromkeys((buckets.OWNERSHIP_CONTROLS, buckets.LIFECYCLE, buckets.BUCKET_POLICY, buckets.OBJECT), A_BUCKETS),
    **dict.fromkeys((iam.ROLE_POLICY, iam.ATTACHMENT), "it is a role's or a user's"),
    ecr.LIFECYCLE: "it is an image repository's",
    observability.SUBSCRIPTION: "it is a topic's",
    network.VPC_ENDPOINT: "it has no name",
    emr.SERVERLESS: AN_ID,
    emr.CLUSTER: AN_ID,
    KEY: "the bootstrap makes it, and it has an id",
    ALIAS: "the bootstrap makes it, and it has the application's name",
    observability.ALARM: "the alarms of a stream are one finding (specification/name_collisions.py)",
}
"""Kinds of AWS of which nothing is said here, and why."""
OF_AN_ACCOUNT = ("iam",)
TABLES = dict.fromkeys(("iceberg table", "interactive table", "dynamic table"), "table")
"""Kinds of tables, which SHOW TABLES lists (is_dynamic, is_iceberg, is_interactive); a name is unique among a schema's objects of
one type (`sql-reference/identifiers`, 2026-11-29)."""


def fixed_names(blueprint: Blueprint) -> Mapping[tuple[str, ...], str]:
    """Returns what and where each is, and its name; to the field of the specification that says it."""
    environment = blueprint.environment
    fields = _fields(environment)
    root = "application" if environment.spec.application else "name"
    here = (environment.aws.partition, environment.aws.account)
    found: dict[tuple[str, ...], str] = {}
    stream_arn = (
        f"arn:{environment.aws.partition}:kinesis:{environment.aws.region}:{environment.aws.account}:stream/{{}}".format
    )
    for kind in (each for each in KINDS if each not in WITHOUT):
        is_global = kind.exists is not None and kind.exists.names_are_global
        region = () if kind.service in OF_AN_ACCOUNT else (environment.aws.region,)
        place = () if is_global else (*here, *region)
        for row in kind.instances(blueprint):
            for name in _names(kind, row, stream_arn):
                found[kind.title, *place, *name] = fields.get((kind.title, name[-1]), root)
    for other in SNOWFLAKE_KINDS:
        for wanted in other.instances(blueprint):
            title, called = other.title.lower(), str(other.name(wanted))
            field = fields.get((f"{title} of Snowflake", called), root)
            found[f"{TABLES.get(title, title)} of Snowflake", environment.snowflake.account.upper(), called] = field
    return found


def _names(kind: Kind, row: Any, stream_arn: Callable[[str], str]) -> Iterator[tuple[str, ...]]:
    """Yields the parts that distinguish it from others of its kind; the last is its name."""
    if kind is VIRTUAL_CLUSTER:
        yield eks_namespace(row)
    elif kind is ASSOCIATION:
        yield tuple(str(row.arguments[each]) for each in ("cluster_name", "namespace", "service_account"))
    elif kind is SECURITY_GROUP:
        yield str(row.arguments["vpc_id"]), kind.name(row)
    elif kind is CONSUMER:
        adopted = row.arguments["stream_arn"]
        yield adopted if isinstance(adopted, str) else stream_arn(stream_of(row)), kind.name(row)
    else:
        yield (kind.name(row),)


Says = Callable[..., None]


def _fields(environment: Environment) -> Mapping[tuple[str, str], str]:
    """The field that says a name, by the title and the name; absent for what follows from the environment's."""
    found: dict[tuple[str, str], str] = {}

    def says(title: str, name: object, field: str, is_given: object = True) -> None:
        if is_given:
            found.setdefault((title, str(name)), field)

    _of_aws(environment, says)
    _of_tables(environment, says)
    _of_snowflake(environment, says)
    return found


def _of_aws(environment: Environment, says: Says) -> None:
    aws, redshift = environment.aws, environment.redshift
    for index, stream in enumerate(environment.streams):
        says("stream", stream.name, f"streams[{index}].name")
        for consumer in stream.consumers:
            says("stream consumer", consumer, f"streams[{index}].consumers")
    says("DynamoDB table", environment.names.ledger_table, "ledger.table", environment.ledger.table)
    says("bucket", environment.names.bucket, "aws.bucket.name", aws.bucket.name)
    says("IAM role", environment.names.engine_role, "aws.runtime.role", aws.runtime.role)
    says("pod identity association", aws.runtime.service_account, "aws.runtime.service_account")
    if aws.runtime.emr_serverless is not None:
        says("log group", aws.runtime.emr_serverless.log_group, "aws.runtime.emr_serverless.log_group")
    if (eks := aws.runtime.emr_eks) is not None:
        says("log group", eks.log_group, "aws.runtime.emr_eks.log_group")
        says("virtual cluster", aws.runtime.namespace, "aws.runtime.namespace")
    if redshift is not None and redshift.workgroup is not None:
        for title in ("namespace", "workgroup"):
            says(f"{title} of Redshift Serverless", redshift.workgroup.name, "redshift.workgroup.name")
    if redshift is not None and redshift.cluster is not None:
        says("cluster of Redshift", redshift.cluster.identifier, "redshift.cluster.identifier")


def _of_tables(environment: Environment, says: Says) -> None:
    for each in environment.targets:
        whole, ingest = f"pipelines[{each.place}]", each.pipeline.ingest
        says("database of Snowflake", each.database, f"{whole}.database")
        says("schema of Snowflake", each.schema, f"{whole}.schema")
        for kind in ("table", "iceberg table", "interactive table"):
            says(f"{kind} of Snowflake", each.name, f"{each.path}.table")
        says("dynamic table of Snowflake", each.latest, each.at("latest"), each.latest)
        for kind in ("stage", "pipe"):
            says(f"{kind} of Snowflake", each.letters, each.at("file_replay"), each.letters)
        says("pipe of Snowflake", each.pipe, each.at("pipe.name"), each.pipe)
        if ingest is not None:
            _of_user(environment.names.ingest_of[each.pipeline.stream], ingest, f"{whole}.ingest", says)


def _of_snowflake(environment: Environment, says: Says) -> None:
    snowflake = environment.snowflake
    for index, volume in enumerate(snowflake.external_volumes):
        path, own = f"snowflake.external_volumes[{index}]", volume_names(environment.spec, volume)
        says("bucket", own.bucket, f"{path}.bucket")
        says("IAM role", own.role, f"{path}.name")
        says("external volume of Snowflake", Identifier.parse(volume.name), f"{path}.name")
    _of_user(environment.names.ingest, snowflake.ingest, "snowflake.ingest", says)
    _of_user(environment.names.reader, snowflake.reader, "snowflake.reader", says)
    policy = snowflake.network_policy.name
    says("network policy of Snowflake", environment.names.network_policy, "snowflake.network_policy.name", policy)
    if (warehouse := snowflake.interactive_warehouse) is not None:
        name = Identifier.parse(warehouse.name)
        says("warehouse of Snowflake", name, "snowflake.interactive_warehouse.name")


def _of_user(principal: Principal, section: ServiceUser, path: str, says: Says) -> None:
    says("user of Snowflake", principal.user, f"{path}.user", section.user)
    says(
        "role of Snowflake",
        principal.role,
        f"{path}.role" if section.role else f"{path}.user",
        section.role or section.user,
    )
