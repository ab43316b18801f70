"""Objects in AWS, as boto3 tells of them, with what a blueprint decides about each.

All of the account is looked at, so that what nobody asked for shows too.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Facts = dict[str, dict[str, Any]]
"""By kind and name: "stream orders"."""
Client = Callable[[str], Any]
Found = Iterator[tuple[str, dict[str, Any]]]


def in_aws(client: Client) -> Facts:
    return dict(found for look in (*OF_DATA, *AROUND) for found in look(client))


def plain(tags: Iterable[dict[str, str]]) -> dict[str, str]:
    """Tags as the services list them, in their three spellings."""
    pairs = [{name.lower().removeprefix("tag"): value for name, value in tag.items()} for tag in tags]
    return {pair["key"]: pair["value"] for pair in pairs}


def _streams(client: Client) -> Found:
    kinesis = client("kinesis")
    for name in kinesis.list_streams()["StreamNames"]:
        told = kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]
        consumers = kinesis.list_stream_consumers(StreamARN=told["StreamARN"])["Consumers"]
        mode = told["StreamModeDetails"]["StreamMode"]
        yield (
            f"stream {name}",
            {
                "mode": mode,
                "shards": told["OpenShardCount"] if mode == "PROVISIONED" else None,
                "retention_hours": told["RetentionPeriodHours"],
                "encryption": told["EncryptionType"],
                "key": told.get("KeyId"),
                "metrics": sorted(m for each in told["EnhancedMonitoring"] for m in each["ShardLevelMetrics"]),
                "consumers": sorted(each["ConsumerName"] for each in consumers),
                "tags": plain(kinesis.list_tags_for_stream(StreamName=name)["Tags"]),
            },
        )


def _tables(client: Client) -> Found:
    dynamodb = client("dynamodb")
    for name in dynamodb.list_tables()["TableNames"]:
        told = dynamodb.describe_table(TableName=name)["Table"]
        backups = dynamodb.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
        yield (
            f"ledger {name}",
            {
                "keys": {each["AttributeName"]: each["KeyType"] for each in told["KeySchema"]},
                "billing": told["BillingModeSummary"]["BillingMode"],
                "restorable": backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED",
                "protected": told["DeletionProtectionEnabled"],
                "key": told.get("SSEDescription", {}).get("KMSMasterKeyArn"),
                "tags": plain(dynamodb.list_tags_of_resource(ResourceArn=told["TableArn"])["Tags"]),
            },
        )


def _buckets(client: Client) -> Found:
    s3 = client("s3")
    for name in (each["Name"] for each in s3.list_buckets()["Buckets"]):
        (rule,) = s3.get_bucket_encryption(Bucket=name)["ServerSideEncryptionConfiguration"]["Rules"]
        (lifecycle,) = s3.get_bucket_lifecycle_configuration(Bucket=name)["Rules"]
        (owner,) = s3.get_bucket_ownership_controls(Bucket=name)["OwnershipControls"]["Rules"]
        by_default = rule["ApplyServerSideEncryptionByDefault"]
        yield (
            f"bucket {name}",
            {
                "versioning": s3.get_bucket_versioning(Bucket=name)["Status"],
                "encryption": by_default["SSEAlgorithm"],
                "key": by_default.get("KMSMasterKeyID"),
                "closed": set(s3.get_public_access_block(Bucket=name)["PublicAccessBlockConfiguration"].values()),
                "ownership": owner["ObjectOwnership"],
                "policy": json.loads(s3.get_bucket_policy(Bucket=name)["Policy"]),
                "old_versions_days": lifecycle["NoncurrentVersionExpiration"]["NoncurrentDays"],
                "uploads_days": lifecycle["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"],
                "objects": sorted(each["Key"] for each in s3.list_objects_v2(Bucket=name).get("Contents", ())),
                "tags": plain(s3.get_bucket_tagging(Bucket=name)["TagSet"]),
            },
        )


def _keys(client: Client) -> Found:
    """By alias. A key that waits for its deletion is none."""
    kms = client("kms")
    aliases = {each.get("TargetKeyId"): each["AliasName"] for each in kms.list_aliases()["Aliases"]}
    for id_ in (each["KeyId"] for each in kms.list_keys()["Keys"]):
        told = kms.describe_key(KeyId=id_)["KeyMetadata"]
        if told["KeyManager"] == "CUSTOMER" and told["KeyState"] != "PendingDeletion":
            yield (
                f"key {aliases.get(id_)}",
                {
                    "rotated": kms.get_key_rotation_status(KeyId=id_)["KeyRotationEnabled"],
                    "policy": json.loads(kms.get_key_policy(KeyId=id_, PolicyName="default")["Policy"]),
                    "description": told["Description"],
                    "tags": plain(kms.list_resource_tags(KeyId=id_)["Tags"]),
                },
            )


def _roles(client: Client) -> Found:
    iam = client("iam")
    for name in (each["RoleName"] for each in iam.list_roles()["Roles"]):
        told = iam.get_role(RoleName=name)["Role"]
        policies = iam.list_role_policies(RoleName=name)["PolicyNames"]
        yield (
            f"role {name}",
            {
                "trust": told["AssumeRolePolicyDocument"],
                "policies": {
                    each: iam.get_role_policy(RoleName=name, PolicyName=each)["PolicyDocument"] for each in policies
                },
                "description": told.get("Description"),
                "tags": plain(told.get("Tags", ())),
            },
        )


def _instance_profiles(client: Client) -> Found:
    for told in client("iam").list_instance_profiles()["InstanceProfiles"]:
        name = told["InstanceProfileName"]
        tags = client("iam").get_instance_profile(InstanceProfileName=name)["InstanceProfile"].get("Tags", ())
        yield f"instance profile {name}", {"roles": [role["RoleName"] for role in told["Roles"]], "tags": plain(tags)}


def _users(client: Client) -> Found:
    for user in client("iam").list_users()["Users"]:
        yield f"user {user['UserName']}", {}


def _secrets(client: Client) -> Found:
    for told in client("secretsmanager").list_secrets()["SecretList"]:
        yield (
            f"secret {told['Name']}",
            {
                "description": told.get("Description"),
                "key": told.get("KmsKeyId"),
                "tags": plain(told.get("Tags", ())),
            },
        )


def _alarms(client: Client) -> Found:
    for told in client("cloudwatch").describe_alarms()["MetricAlarms"]:
        yield (
            f"alarm {told['AlarmName']}",
            {
                "description": told["AlarmDescription"],
                "metric": f"{told['Namespace']}/{told['MetricName']} {told['Statistic']}",
                "dimensions": {each["Name"]: each["Value"] for each in told["Dimensions"]},
                "rings": [told[name] for name in ("ComparisonOperator", "Threshold", "Period", "EvaluationPeriods")],
                "silence": told["TreatMissingData"],
                "topics": [told["AlarmActions"], told["OKActions"]],
            },
        )


def _topics(client: Client) -> Found:
    sns = client("sns")
    for arn in (each["TopicArn"] for each in sns.list_topics()["Topics"]):
        policy = json.loads(sns.get_topic_attributes(TopicArn=arn)["Attributes"]["Policy"])
        subscriptions = sns.list_subscriptions_by_topic(TopicArn=arn)["Subscriptions"]
        told = {"policy": policy, "notifies": sorted((each["Protocol"], each["Endpoint"]) for each in subscriptions)}
        yield f"topic {arn}", told


def _dashboards(client: Client) -> Found:
    for told in client("cloudwatch").list_dashboards()["DashboardEntries"]:
        body = client("cloudwatch").get_dashboard(DashboardName=told["DashboardName"])["DashboardBody"]
        yield f"dashboard {told['DashboardName']}", {"body": json.loads(body)}


def _parameters(client: Client) -> Found:
    for told in client("ssm").get_parameters_by_path(Path="/", Recursive=True)["Parameters"]:
        if not told["Name"].startswith("/aws/"):
            yield f"parameter {told['Name']}", {"value": told["Value"], "type": told["Type"]}


def _log_groups(client: Client) -> Found:
    logs = client("logs")
    for told in logs.describe_log_groups()["logGroups"]:
        tags = logs.list_tags_for_resource(resourceArn=told["arn"].removesuffix(":*"))["tags"]
        yield f"log group {told['logGroupName']}", {"days": told.get("retentionInDays"), "tags": tags}


def _repositories(client: Client) -> Found:
    ecr = client("ecr")
    for told in ecr.describe_repositories()["repositories"]:
        said = {
            "tags stay": told["imageTagMutability"] == "IMMUTABLE",
            "scans": told["imageScanningConfiguration"]["scanOnPush"],
            "key": told["encryptionConfiguration"].get("kmsKey"),
            "tags": plain(ecr.list_tags_for_resource(resourceArn=told["repositoryArn"])["tags"]),
        }
        yield f"image repository {told['repositoryName']}", said


def _security_groups(client: Client) -> Found:
    """Yields the groups that somebody made: each VPC has one by itself."""
    for told in client("ec2").describe_security_groups()["SecurityGroups"]:
        if told["GroupName"] != "default":
            opens = [each["UserIdGroupPairs"] or each["IpRanges"] for each in told["IpPermissions"]]
            itself = [pair["GroupId"] == told["GroupId"] for rule in opens for pair in rule]
            yield (
                f"security group {told['GroupName']}",
                {
                    "vpc": told["VpcId"],
                    "description": told["Description"],
                    "in from itself": itself,
                    "out": [each["CidrIp"] for rule in told["IpPermissionsEgress"] for each in rule["IpRanges"]],
                    "tags": plain(told.get("Tags", ())),
                },
            )


def _vpc_endpoints(client: Client) -> Found:
    for told in client("ec2").describe_vpc_endpoints()["VpcEndpoints"]:
        if told["State"] == "available":
            places = {"subnets": sorted(told["SubnetIds"]), "route tables": sorted(told["RouteTableIds"])}
            yield f"endpoint {told['ServiceName']}", {**places, "tags": plain(told.get("Tags", ()))}


def _applications(client: Client) -> Found:
    emr = client("emr-serverless")
    for each in emr.list_applications()["applications"]:
        told = emr.get_application(applicationId=each["id"])["application"]
        if told["state"] != "TERMINATED":
            yield (
                f"application {told['name']}",
                {
                    "release": told["releaseLabel"],
                    "architecture": told["architecture"],
                    "capacity": told["maximumCapacity"],
                    "stops after": told["autoStopConfiguration"],
                    "subnets": sorted(told["networkConfiguration"]["subnetIds"]),
                    "groups": len(told["networkConfiguration"]["securityGroupIds"]),
                    "runs": told["schedulerConfiguration"],
                    "tags": told["tags"],
                },
            )


def _virtual_clusters(client: Client) -> Found:
    for told in client("emr-containers").list_virtual_clusters(states=["RUNNING"])["virtualClusters"]:
        provider = told["containerProvider"]
        place = {"cluster": provider["id"], "namespace": provider["info"]["eksInfo"]["namespace"]}
        yield f"virtual cluster {told['name']}", {**place, "tags": told["tags"]}


def _clusters(client: Client) -> Found:
    emr = client("emr")
    for each in emr.list_clusters(ClusterStates=["WAITING", "RUNNING"])["Clusters"]:
        told = emr.describe_cluster(ClusterId=each["Id"])["Cluster"]
        groups = emr.list_instance_groups(ClusterId=each["Id"])["InstanceGroups"]
        (core,) = [group for group in groups if group["InstanceGroupType"] == "CORE"]
        yield (
            f"cluster {told['Name']}",
            {
                "release": told["ReleaseLabel"],
                "machines": (core["InstanceType"], core["RequestedInstanceCount"]),
                "profile": told["Ec2InstanceAttributes"]["IamInstanceProfile"],
                "steps": told["StepConcurrencyLevel"],
                "tags": plain(told["Tags"]),
            },
        )


def _associations(client: Client) -> Found:
    """Facts of the one EKS cluster that is here."""
    eks = client("eks")
    for each in eks.list_pod_identity_associations(clusterName="local")["associations"]:
        where = {"clusterName": "local", "associationId": each["associationId"]}
        told = eks.describe_pod_identity_association(**where)["association"]
        yield f"pods {told['namespace']}/{told['serviceAccount']}", {"role": told["roleArn"], "tags": told["tags"]}


OF_DATA = (_streams, _tables, _buckets, _keys, _secrets)
AROUND = (
    _roles,
    _instance_profiles,
    _users,
    _alarms,
    _dashboards,
    _topics,
    _parameters,
    _log_groups,
    _repositories,
    _security_groups,
    _applications,
    _clusters,
    _vpc_endpoints,
    _virtual_clusters,
    _associations,
)
