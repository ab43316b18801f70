"""One resource of each type: made, found unchanged, made again without a change, imported as the program has it, deleted.

Iceberg tables are left out: they need a volume that was verified, and so a role that trusts.
"""

import json
from typing import TYPE_CHECKING, Any

import pulumi
import pulumi_aws as aws
import pulumi_snowflake as snowflake
import pytest

from firnline_local.providers.registry import known_types
from firnline_local.pulumi.cloud import Cloud
from firnline_local.pulumi.in_process.application import ProgramApplication
from firnline_local.pulumi.in_process.deployment import Record
from firnline_local.runtimes.redshift.control import PARAMETERS

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment

pytestmark = pytest.mark.contract
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}
RIGHTS = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "kinesis:ListStreams", "Resource": "*"}]}
TAGS = {"firnline:environment": "every"}
STATEMENTS = "arn:aws:scheduler:::aws-sdk:redshiftdata:executeStatement"
FEATURES = [
    "snowflake_authentication_policy_resource",
    "snowflake_external_volume_resource",
    "snowflake_iceberg_table_resource",
    "snowflake_dynamic_table_resource",
    "snowflake_pipe_resource",
    "snowflake_table_resource",
    "snowflake_user_authentication_policy_attachment_resource",
    "snowflake_warehouse_interactive_resource",
]
ICEBERG_TABLE = "snowflake:index/icebergTable:IcebergTable"
EXECUTE = "snowflake:index/execute:Execute"  # no object of its own is behind it: it is never found nor gone
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
UNREADABLE = {
    "recoveryWindowInDays",  # a word of the provider's own; to the service it means nothing until the end
    "skipFinalSnapshot",  # the same, of a cluster
    "content",  # of an object, which the provider never reads
}


def of_aws(vpc: str, subnet: str) -> None:
    key = aws.kms.Key("key", description="every", enable_key_rotation=True, tags=TAGS)
    aws.kms.Alias("alias", name="alias/every", target_key_id=key.key_id)
    stream = aws.kinesis.Stream("stream", name="every", shard_count=1, tags=TAGS)
    aws.kinesis.StreamConsumer("consumer", name="every", stream_arn=stream.arn)
    aws.dynamodb.Table(
        "table",
        name="every",
        billing_mode="PAY_PER_REQUEST",
        hash_key="k",
        attributes=[{"name": "k", "type": "S"}],
        point_in_time_recovery={"enabled": True},
        tags=TAGS,
    )
    buckets()
    runtime(vpc)
    role = aws.iam.Role("role", name="every", assume_role_policy=json.dumps(TRUST), tags=TAGS)
    aws.eks.PodIdentityAssociation(
        "pods", cluster_name="local", namespace="every", service_account="every", role_arn=role.arn, tags=TAGS
    )
    warehouse = aws.redshiftserverless.Namespace(
        "redshift", namespace_name="every", db_name="every", iam_roles=[role.arn], manage_admin_password=True, tags=TAGS
    )
    aws.redshiftserverless.Workgroup(
        "workgroup",
        workgroup_name="every",
        namespace_name=warehouse.namespace_name,
        base_capacity=8,
        config_parameters=[{"parameter_key": key, "parameter_value": value} for key, value in PARAMETERS.items()],
        tags=TAGS,
    )
    aws.redshift.Cluster(
        "cluster",
        cluster_identifier="every",
        node_type="ra3.large",
        master_username="admin",
        manage_master_password=True,
        skip_final_snapshot=True,
        tags=TAGS,
    )
    aws.iam.RolePolicy("role-policy", name="every", role=role.name, policy=json.dumps(RIGHTS))
    profile = aws.iam.InstanceProfile("profile", name="every", role=role.name, tags=TAGS)
    machines(subnet, profile)
    user = aws.iam.User("user", name="every", tags=TAGS)
    policy = aws.iam.Policy("policy-of-user", name="every", policy=json.dumps(RIGHTS), tags=TAGS)
    aws.iam.UserPolicyAttachment("attachment", user=user.name, policy_arn=policy.arn)
    aws.secretsmanager.Secret("secret", name="every", recovery_window_in_days=0, tags=TAGS)
    aws.ssm.Parameter("parameter", name="/every", type="String", value="value", tags=TAGS)
    aws.scheduler.Schedule(
        "schedule",
        name="every",
        schedule_expression="rate(15 minutes)",
        flexible_time_window={"mode": "OFF"},
        target={"arn": STATEMENTS, "role_arn": role.arn, "input": "{}", "retry_policy": {"maximum_retry_attempts": 0}},
    )
    aws.cloudwatch.EventRule(
        "rule", name="every", event_pattern=json.dumps({"source": ["aws.redshift-data"]}), tags=TAGS
    )
    aws.cloudwatch.Dashboard("dashboard", dashboard_name="every", dashboard_body=json.dumps({"widgets": []}))
    aws.cloudwatch.MetricAlarm(
        "alarm",
        name="every",
        namespace="AWS/Kinesis",
        metric_name="GetRecords.IteratorAgeMilliseconds",
        statistic="Maximum",
        comparison_operator="GreaterThanThreshold",
        evaluation_periods=1,
        period=60,
        threshold=60000,
        dimensions={"StreamName": stream.name},
        tags=TAGS,
    )


def machines(subnet: str, profile: aws.iam.InstanceProfile) -> None:
    aws.emr.Cluster(
        "machines",
        name="every",
        release_label="emr-spark-8.1.0",
        applications=["Spark"],
        service_role="EMR_DefaultRole",
        keep_job_flow_alive_when_no_steps=True,
        termination_protection=False,
        step_concurrency_level=2,
        master_instance_group={"instance_type": "m7g.xlarge", "instance_count": 1},
        core_instance_group={"instance_type": "m7g.xlarge", "instance_count": 1},
        ec2_attributes={"subnet_id": subnet, "instance_profile": profile.name},
        tags=TAGS,
    )


def runtime(vpc: str) -> None:
    images = aws.ecr.Repository("images", name="every", image_tag_mutability="IMMUTABLE", tags=TAGS)
    oldest = {"tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": 9}
    rule = {"rulePriority": 1, "selection": oldest, "action": {"type": "expire"}}
    aws.ecr.LifecyclePolicy("kept-images", repository=images.name, policy=json.dumps({"rules": [rule]}))
    topic = aws.sns.Topic("topic", name="every", tags=TAGS)
    aws.sns.TopicSubscription("subscription", topic=topic.arn, protocol="email", endpoint="on-call@example.com")
    aws.cloudwatch.LogGroup("logs", name="/every", retention_in_days=30, tags=TAGS)
    aws.ec2.SecurityGroup("group", name="every", description="every", vpc_id=vpc, tags=TAGS)
    place = {"id": "local", "type": "EKS", "info": {"eks_info": {"namespace": "every"}}}
    aws.emrcontainers.VirtualCluster("virtual-cluster", name="every", container_provider=place, tags=TAGS)
    aws.ec2.VpcEndpoint(
        "endpoint", vpc_id=vpc, service_name="com.amazonaws.us-east-1.sts", vpc_endpoint_type="Interface", tags=TAGS
    )
    aws.emrserverless.Application(
        "application", name="every", release_label="emr-spark-8.1.0", type="spark", architecture="X86_64", tags=TAGS
    )


def buckets() -> None:
    bucket = aws.s3.Bucket("bucket", bucket="firnline-every", tags=TAGS)
    name = bucket.bucket
    aws.s3.BucketVersioning("versioning", bucket=name, versioning_configuration={"status": "Enabled"})
    aws.s3.BucketServerSideEncryptionConfiguration(
        "encryption", bucket=name, rules=[{"apply_server_side_encryption_by_default": {"sse_algorithm": "AES256"}}]
    )
    aws.s3.BucketPublicAccessBlock("public-access", bucket=name, block_public_acls=True, block_public_policy=True)
    aws.s3.BucketOwnershipControls("ownership", bucket=name, rule={"object_ownership": "BucketOwnerEnforced"})
    aws.s3.BucketLifecycleConfiguration(
        "lifecycle",
        bucket=name,
        rules=[{"id": "old", "status": "Enabled", "filter": {"prefix": "a/"}, "expiration": {"days": 30}}],
    )
    statement = {
        "Effect": "Allow",
        "Principal": "*",
        "Action": "s3:GetObject",
        "Resource": "arn:aws:s3:::firnline-every/*",
    }
    aws.s3.BucketPolicy("policy", bucket=name, policy=json.dumps({"Version": "2012-10-17", "Statement": [statement]}))
    aws.s3.BucketObjectv2("object", bucket=name, key="a", content="text", content_type="text/plain")


def of_snowflake() -> None:
    provider = snowflake.Provider("here", preview_features_enabled=FEATURES)
    here = pulumi.ResourceOptions(provider=provider)
    database = snowflake.Database("database", name="EVERY", comment="every", opts=here)
    schema = snowflake.Schema("schema", name="S", database=database.name, opts=here)
    role = snowflake.AccountRole("role", name="EVERY_R", opts=here)
    user = snowflake.ServiceUser("user", name="EVERY_U", default_role="EVERY_R", comment="every", opts=here)
    snowflake.GrantAccountRole("of-role", role_name=role.name, user_name=user.name, opts=here)
    snowflake.GrantPrivilegesToAccountRole(
        "usage",
        account_role_name=role.name,
        privileges=["USAGE"],
        on_account_object={"object_type": "DATABASE", "object_name": database.name},
        opts=here,
    )
    table = snowflake.Table(
        "table",
        name="T",
        database=database.name,
        schema=schema.name,
        columns=[{"name": "V", "type": "VARIANT", "nullable": True}],
        change_tracking=True,  # as the dynamic table over it needs it
        opts=here,
    )
    snowflake.GrantOwnership(
        "ownership",
        account_role_name=role.name,
        outbound_privileges="COPY",
        on={"object_type": "TABLE", "object_name": table.fully_qualified_name},
        opts=here,
    )
    snowflake.NetworkPolicy("network", name="EVERY_N", allowed_ip_lists=["127.0.0.1/32"], opts=here)
    authentication = snowflake.AuthenticationPolicy(
        "authentication",
        name="A",
        database=database.name,
        schema=schema.name,
        authentication_methods=["KEYPAIR"],
        opts=here,
    )
    snowflake.UserAuthenticationPolicyAttachment(
        "attachment",
        user_name=user.name,
        authentication_policy_name=authentication.fully_qualified_name,
        opts=here,
    )
    of_storage(here, table)


def of_storage(here: pulumi.ResourceOptions, table: snowflake.Table) -> None:
    snowflake.Execute(
        "execute",
        execute="CREATE ROLE EVERY_E",
        revert="DROP ROLE EVERY_E",
        query="SHOW ROLES LIKE 'EVERY_E'",
        opts=here,
    )
    snowflake.WarehouseInteractive("interactive", name="EVERY_I", warehouse_size="XSMALL", opts=here)
    snowflake.DynamicTable(
        "latest",
        name="D",
        database=table.database,
        schema=table.schema,
        query="SELECT V FROM EVERY.S.T",
        warehouse="COMPUTE_WH",
        target_lag={"maximum_duration": "5 minutes"},
        opts=pulumi.ResourceOptions.merge(here, pulumi.ResourceOptions(depends_on=[table])),
    )
    snowflake.Pipe(
        "pipe",
        name="P",
        database=table.database,
        schema=table.schema,
        copy_statement="COPY INTO EVERY.S.T FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')) MATCH_BY_COLUMN_NAME=CASE_SENSITIVE",
        opts=pulumi.ResourceOptions.merge(here, pulumi.ResourceOptions(depends_on=[table])),
    )
    snowflake.ExternalVolume(
        "volume",
        name="EVERY_V",
        storage_locations=[
            {
                "storage_location_name": "one",
                "storage_provider": "S3",
                "storage_base_url": "s3://firnline-every/",
                "storage_aws_role_arn": "arn:aws:iam::000000000000:role/every",
                "storage_aws_external_id": "every",
            }
        ],
        opts=here,
    )


PACKAGES = ("aws", "snowflake")


@pytest.mark.parametrize("package", PACKAGES)
def test_a_resource_of_each_type_lives_through_its_whole_life(
    package: str, local_environment: "RunningEnvironment"
) -> None:
    application = ProgramApplication(local_environment)
    (vpc, *_) = local_environment.client("ec2").describe_vpcs()["Vpcs"]
    (subnet, *_) = local_environment.client("ec2").describe_subnets()["Subnets"]

    def program() -> None:
        of_snowflake() if package == "snowflake" else of_aws(vpc["VpcId"], subnet["SubnetId"])

    def up() -> None:
        application.up(program, stack="dev", project="every")

    try:
        up()
        made = {record.urn: record for record in application.resources}
        types = {token for token in known_types() if token.startswith(f"{package}:")}
        assert {record.token for record in made.values()} == types - {ICEBERG_TABLE}
        assert drift(local_environment, application) == {}
        up()
        assert {record.urn: record.id for record in application.resources} == {urn: made[urn].id for urn in made}
        assert differences_of_import(local_environment, application) == {}
    finally:
        application.destroy()
    assert application.resources == []
    cloud = Cloud(package, local_environment)
    for record in made.values():
        assert (
            record.token == EXECUTE
            or cloud.read(record.token, record.name, import_id(record), inputs={}, properties={}) is None
        )
    cloud.close()


def import_id(record: Record) -> str:
    """An association is known within its cluster alone."""
    return f"{record.inputs['clusterName']},{record.id}" if record.token == ASSOCIATION else record.id


def drift(environment: "RunningEnvironment", application: ProgramApplication) -> dict[str, Any]:
    """By the engine's way to look: what a read says about the inputs."""
    found = {}
    for record in application.resources:
        cloud = Cloud(record.token.partition(":")[0], environment)
        there = cloud.read(record.token, record.name, record.id, inputs=record.inputs, properties=record.properties)
        assert there is not None, record.name
        if there.inputs != record.inputs:
            found[record.name] = (record.inputs, there.inputs)
        cloud.close()
    return found


def differences_of_import(environment: "RunningEnvironment", application: ProgramApplication) -> dict[str, Any]:
    """Between what an import brings, and the program that made it."""
    found = {}
    for record in application.resources:
        if record.token == EXECUTE:
            continue
        cloud = Cloud(record.token.partition(":")[0], environment)
        there = cloud.read(record.token, record.name, import_id(record), inputs={}, properties={})
        assert there is not None, record.name
        changes = cloud.diff(record.token, old=there.inputs, state=there.properties, new=record.inputs)
        if differing := {change.property for change in changes} - UNREADABLE:
            found[record.name] = {name: there.inputs.get(name) for name in differing}
        cloud.close()
    return found
