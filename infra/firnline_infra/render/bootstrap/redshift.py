"""Rights to run statements in a workgroup of Redshift Serverless, or in a cluster, by the Data API, and what making either takes
beside itself.

A caller sees the statements of its own alone (redshift-data:statement-owner-iam-userid). Which database user it is decides what a
statement may do: the database's grants, not IAM's ("Configuring IAM permissions", Data API).
"""

from collections.abc import Iterator

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import Conditions, PolicyStatement
from firnline_infra.blueprint.iam.redshift import SERVICES, login_with_secret
from firnline_infra.blueprint.iam.statement import allow
from firnline_infra.blueprint.redshift import RedshiftDestination
from firnline_infra.environment import Environment
from firnline_infra.kinds.redshift import SCHEDULE
from firnline_infra.render.bootstrap.engine_run import OURS
from firnline_infra.specification.arns import Arns

RUN_STATEMENTS = {"redshift-data:ExecuteStatement": "Makes and reads views; what for, the database's grants say."}
SEE_STATEMENTS = {
    "redshift-data:DescribeStatement": "Whether a statement has ended, and how.",
    "redshift-data:GetStatementResult": "What it found.",
}
BE_USER = "Is a user of the database for some minutes, without a password."
FIND_WORKGROUP = {"redshift-serverless:GetWorkgroup": "Whether it is there, and over which namespace."}
FIND_NAMESPACE = {"redshift-serverless:GetNamespace": "Whether the role is attached to it."}
FIND_CLUSTER = {"redshift:DescribeClusters": "Whether it is there, and the role is attached to it."}
LOOK_AT_NETWORK = (
    *("ec2:DescribeAccountAttributes", "ec2:DescribeAddresses", "ec2:DescribeAvailabilityZones"),
    *("ec2:DescribeSecurityGroups", "ec2:DescribeSubnets", "ec2:DescribeVpcAttribute", "ec2:DescribeVpcs"),
)
KEEP_PASSWORD = (
    *("secretsmanager:CreateSecret", "secretsmanager:TagResource", "secretsmanager:RotateSecret"),
    *("secretsmanager:DescribeSecret", "secretsmanager:UpdateSecret", "secretsmanager:DeleteSecret"),
)


def made_with(arns: Arns, blueprint: Blueprint, *, service: str) -> Iterator[PolicyStatement]:
    """Yields what a namespace takes, and a cluster, beside itself."""
    yield allow(
        "KeepPassword",
        dict.fromkeys(KEEP_PASSWORD, "Redshift keeps the administrator's password in a secret of its own."),
        resources=(arns.secret_by_name("redshift!*"),),
        conditions={"StringEquals": {"aws:CalledViaLast": service}},
    )
    yield allow(
        "HandOverStreamRole",
        {"iam:PassRole": "Redshift reads streams as that role."},
        resources=(arns.role(blueprint.names.redshift_role),),
        conditions={"StringEquals": {"iam:PassedToService": SERVICES}},
    )


def look_at_network(environment: Environment) -> PolicyStatement:
    return allow(
        "LookAtNetwork",
        dict.fromkeys(LOOK_AT_NETWORK, "Redshift looks for subnets and groups."),
        resources=("*",),
        conditions={"StringEquals": {"aws:RequestedRegion": environment.aws.region}},
    )


def reading_rights(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """Yields nothing where all who deploy are one database user: who only looks would be the one who changes."""
    wanted = blueprint.redshift
    if wanted is not None and wanted.db_user is None and wanted.secret_arn is None:
        yield from statement_rights(blueprint)


def statement_rights(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """Yields nothing without Redshift."""
    environment = blueprint.environment
    wanted, arns = blueprint.redshift, environment.arns
    if wanted is None:
        return
    own: Conditions = {"StringEquals": {"redshift-data:statement-owner-iam-userid": "${aws:userid}"}}
    if SCHEDULE.instances(blueprint):
        yield allow(
            "HandOverRefreshRole",
            {"iam:PassRole": "EventBridge Scheduler refreshes views as that role."},
            resources=(arns.role(blueprint.names.redshift_refresh_role),),
            conditions={"StringEquals": {"iam:PassedToService": "scheduler.amazonaws.com"}},
        )
    yield allow("SeeStatements", SEE_STATEMENTS, resources=("*",), conditions=own)
    if wanted.makes_cluster:
        yield from made_with(arns, blueprint, service=SERVICES[0])
        yield look_at_network(environment)
    if wanted.cluster is not None:
        yield from _in_cluster(environment, wanted, wanted.cluster)
        return
    ours: Conditions = (
        {"StringEquals": {f"aws:ResourceTag/{OURS}": environment.names.application}} if wanted.is_made else {}
    )
    group, be_user = (wanted.workgroup_arn or arns.workgroup("*"),), {"redshift-serverless:GetCredentials": BE_USER}
    yield allow("RunStatements", RUN_STATEMENTS, resources=group, conditions=ours)
    if wanted.secret_arn is None:
        yield allow("BeDatabaseUser", be_user, resources=group, conditions=ours)
    if not wanted.is_made:
        yield allow("FindWorkgroup", FIND_WORKGROUP, resources=group)
        yield allow("FindNamespace", FIND_NAMESPACE, resources=(arns.redshift_namespace("*"),))
    yield from _secret(environment)


def _in_cluster(environment: Environment, wanted: RedshiftDestination, cluster: str) -> Iterator[PolicyStatement]:
    arns = environment.arns
    yield allow("RunStatements", RUN_STATEMENTS, resources=(arns.redshift_cluster(cluster),))
    if not wanted.is_made:
        yield allow("FindRedshift", FIND_CLUSTER, resources=(arns.redshift_cluster(cluster),))
    yield from _secret(environment)
    if wanted.secret_arn is not None:
        return
    user = () if wanted.db_user is None else (arns.redshift_user(cluster, wanted.db_user),)
    places = (*user, arns.redshift_database(cluster, wanted.database))
    action = "GetClusterCredentials" if wanted.db_user else "GetClusterCredentialsWithIAM"
    yield allow("BeDatabaseUser", {f"redshift:{action}": BE_USER}, resources=places)


def _secret(environment: Environment) -> Iterator[PolicyStatement]:
    return login_with_secret(environment.redshift, environment.aws.region) if environment.redshift else iter(())
