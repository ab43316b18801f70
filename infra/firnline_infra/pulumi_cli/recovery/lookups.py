"""Under which id `pulumi import` finds what a create was making.

The id follows from the inputs alone where it is made of names (the import sections of the providers' registry pages). Where
the service makes the id, the service is asked: AWS's here, without loading an SDK; the caller brings the clients.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

Properties = Mapping[str, Any]
Lookup = Callable[[Properties], Sequence[str]]
"""Ids that the service knows for these inputs, best first."""
NOT_THERE = {"ResourceNotFoundException", "NotFoundException"}
DENIED = {"AccessDeniedException"}


def _named(*inputs: str, joined: str = "/", quote: str = "") -> Lookup:
    return lambda given: [joined.join(f"{quote}{given[name]}{quote}" for name in inputs)]


def _quoted(*inputs: str) -> Lookup:
    return _named(*inputs, joined=".", quote='"')


def _authentication_of_user(given: Properties) -> Sequence[str]:
    return [f'"{_bare(given["userName"])}"|{given["authenticationPolicyName"]}']


def _bare(name: str) -> str:
    return name.strip('"')


BY_NAME: Mapping[str, Lookup] = {
    "aws:cloudwatch/dashboard:Dashboard": _named("dashboardName"),
    "aws:cloudwatch/logGroup:LogGroup": _named("name"),
    "aws:cloudwatch/metricAlarm:MetricAlarm": _named("name"),
    "aws:dynamodb/table:Table": _named("name"),
    "aws:iam/instanceProfile:InstanceProfile": _named("name"),
    "aws:iam/role:Role": _named("name"),
    "aws:iam/user:User": _named("name"),
    "aws:kinesis/stream:Stream": _named("name"),
    "aws:kms/alias:Alias": _named("name"),
    "aws:s3/bucket:Bucket": _named("bucket"),
    "aws:ssm/parameter:Parameter": _named("name"),
    "snowflake:index/accountRole:AccountRole": _quoted("name"),
    "snowflake:index/authenticationPolicy:AuthenticationPolicy": _quoted("database", "schema", "name"),
    "snowflake:index/database:Database": _quoted("name"),
    "snowflake:index/externalVolume:ExternalVolume": _quoted("name"),
    "snowflake:index/icebergTable:IcebergTable": _quoted("database", "schema", "name"),
    "snowflake:index/networkPolicy:NetworkPolicy": _quoted("name"),
    "snowflake:index/pipe:Pipe": _named("database", "schema", "name", joined="|"),
    "snowflake:index/schema:Schema": _quoted("database", "name"),
    "snowflake:index/serviceUser:ServiceUser": _quoted("name"),
    "snowflake:index/table:Table": _named("database", "schema", "name", joined="|"),
    "snowflake:index/userAuthenticationPolicyAttachment:UserAuthenticationPolicyAttachment": _authentication_of_user,
    "snowflake:index/warehouse:Warehouse": _quoted("name"),
    "snowflake:index/warehouseInteractive:WarehouseInteractive": _quoted("name"),
}

REPEATED = frozenset(
    {
        # Settings that are put on something else: putting them twice is putting them once.
        "aws:iam/rolePolicy:RolePolicy",
        "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
        "aws:s3/bucketObjectv2:BucketObjectv2",
        "aws:s3/bucketOwnershipControls:BucketOwnershipControls",
        "aws:s3/bucketPolicy:BucketPolicy",
        "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
        "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
        "aws:s3/bucketVersioning:BucketVersioning",
        # Attaching twice is attaching once.
        "aws:iam/userPolicyAttachment:UserPolicyAttachment",
        # Granting twice is granting once.
        "snowflake:index/grantAccountRole:GrantAccountRole",
        "snowflake:index/grantOwnership:GrantOwnership",
        "snowflake:index/grantPrivilegesToAccountRole:GrantPrivilegesToAccountRole",
        # Every statement of ours is written so that it can be run again.
        "snowflake:index/execute:Execute",
    }
)
"""Types whose create can be repeated over the object that it has made, so that it needs no lookup."""


def lookup_of(type_: str, more: Mapping[str, Lookup]) -> Lookup | None:
    """None for an unknown type. `more` wins over the table."""
    return more.get(type_) or BY_NAME.get(type_)


def aws_lookups(client: Callable[[str], Any]) -> Mapping[str, Lookup]:
    """`client` makes a boto3 client of a service, in the account and region of the stack."""
    return {
        "aws:ec2/securityGroup:SecurityGroup": lambda inputs: _security_groups(client("ec2"), inputs),
        "aws:eks/podIdentityAssociation:PodIdentityAssociation": lambda inputs: _associations(client("eks"), inputs),
        "aws:emrcontainers/virtualCluster:VirtualCluster": lambda inputs: _virtual_clusters(
            client("emr-containers"), inputs
        ),
        "aws:ec2/vpcEndpoint:VpcEndpoint": lambda inputs: _endpoints(client("ec2"), inputs),
        "aws:emr/cluster:Cluster": lambda inputs: _clusters(client("emr"), inputs),
        "aws:emrserverless/application:Application": lambda inputs: _applications(client("emr-serverless"), inputs),
        "aws:iam/policy:Policy": lambda inputs: [_policy(client("sts"), inputs)],
        "aws:kinesis/streamConsumer:StreamConsumer": lambda inputs: _consumer(client("kinesis"), inputs),
        "aws:kms/key:Key": lambda inputs: _keys(client("kms"), inputs),
        "aws:secretsmanager/secret:Secret": lambda inputs: _secret(client("secretsmanager"), inputs),
    }


def _policy(sts: Any, inputs: Properties) -> str:
    """The ARN that the policy would have. Asking for the account in it needs no permission."""
    _, partition, _, _, account, _ = sts.get_caller_identity()["Arn"].split(":", 5)
    return f"arn:{partition}:iam::{account}:policy{inputs.get('path') or '/'}{inputs['name']}"


def _security_groups(ec2: Any, inputs: Properties) -> Sequence[str]:
    """A name is one group's in its VPC."""
    filters = [{"Name": "group-name", "Values": [inputs["name"]]}, {"Name": "vpc-id", "Values": [inputs["vpcId"]]}]
    return [group["GroupId"] for group in ec2.describe_security_groups(Filters=filters)["SecurityGroups"]]


def _applications(emr: Any, inputs: Properties) -> Sequence[str]:
    """A name may be several applications': which is ours, its tags say, and they allow the deployer to look at it."""
    wanted = inputs.get("tags") or {}
    pages = emr.get_paginator("list_applications").paginate()
    named = [each for page in pages for each in page["applications"] if each["name"] == inputs["name"]]
    ids = [each["id"] for each in named if each["state"] != "TERMINATED"]
    return [id_ for id_ in ids if wanted and wanted.items() <= _application_tags(emr, id_).items()]


def _application_tags(emr: Any, id_: str) -> dict[str, str]:
    found = _unless(DENIED, lambda: emr.get_application(applicationId=id_)["application"].get("tags"))
    return found or {}


def _virtual_clusters(emr: Any, inputs: Properties) -> Sequence[str]:
    """A namespace has one that is not terminated; ours has our name."""
    provider = inputs["containerProvider"]
    pages = emr.get_paginator("list_virtual_clusters").paginate(containerProviderId=provider["id"], states=["RUNNING"])
    found = [each for page in pages for each in page["virtualClusters"] if each["name"] == inputs["name"]]
    return [each["id"] for each in found if each["containerProvider"]["info"] == provider["info"]]


def _endpoints(ec2: Any, inputs: Properties) -> Sequence[str]:
    """A VPC may have several of a service: which is ours, its tags say."""
    filters = [
        {"Name": "vpc-id", "Values": [inputs["vpcId"]]},
        {"Name": "service-name", "Values": [inputs["serviceName"]]},
        *({"Name": f"tag:{key}", "Values": [value]} for key, value in (inputs.get("tags") or {}).items()),
    ]
    pages = ec2.get_paginator("describe_vpc_endpoints").paginate(Filters=filters)
    found = [each for page in pages for each in page["VpcEndpoints"]]
    return [each["VpcEndpointId"] for each in found if each["State"] not in ("deleting", "deleted", "failed")]


def _clusters(emr: Any, inputs: Properties) -> Sequence[str]:
    """A name may be several clusters': which is ours, its tags say, and they allow the deployer to look at it."""
    wanted = inputs.get("tags") or {}
    pages = emr.get_paginator("list_clusters").paginate(
        ClusterStates=["STARTING", "BOOTSTRAPPING", "RUNNING", "WAITING"]
    )
    ids = [each["Id"] for page in pages for each in page["Clusters"] if each["Name"] == inputs["name"]]
    return [id_ for id_ in ids if wanted and wanted.items() <= _cluster_tags(emr, id_).items()]


def _cluster_tags(emr: Any, id_: str) -> dict[str, str]:
    found = _unless(DENIED, lambda: emr.describe_cluster(ClusterId=id_)["Cluster"].get("Tags"))
    return {tag["Key"]: tag.get("Value", "") for tag in found or ()}


def _associations(eks: Any, inputs: Properties) -> Sequence[str]:
    """A service account has one. Its id is known within its cluster alone."""
    whose = {name: inputs[name] for name in ("clusterName", "namespace", "serviceAccount")}
    pages = eks.get_paginator("list_pod_identity_associations").paginate(**whose)
    found = [each["associationId"] for page in pages for each in page["associations"]]
    return [f"{inputs['clusterName']},{id_}" for id_ in found]


def _consumer(kinesis: Any, inputs: Properties) -> Sequence[str]:
    described = _unless_absent(
        kinesis.describe_stream_consumer, StreamARN=inputs["streamArn"], ConsumerName=inputs["name"]
    )
    return [described["ConsumerDescription"]["ConsumerARN"]] if described else []


def _secret(secrets: Any, inputs: Properties) -> Sequence[str]:
    described = _unless_absent(secrets.describe_secret, SecretId=inputs["name"])
    return [described["ARN"]] if described and "DeletedDate" not in described else []


def _keys(kms: Any, inputs: Properties) -> Sequence[str]:
    """A key has no name: it is identified by its tags, one of which allows the deployer to describe it."""
    wanted = inputs.get("tags") or {}
    ids = [key["KeyId"] for page in kms.get_paginator("list_keys").paginate() for key in page["Keys"]]
    return [id_ for id_ in ids if wanted and wanted.items() <= _key_tags(kms, id_).items() and _is_kept(kms, id_)]


def _key_tags(kms: Any, key_id: str) -> dict[str, str]:
    """No tags for a key that we are not allowed to describe."""

    def read() -> dict[str, str]:
        pages = kms.get_paginator("list_resource_tags").paginate(KeyId=key_id)
        return {tag["TagKey"]: tag["TagValue"] for page in pages for tag in page["Tags"]}

    return _unless(DENIED, read) or {}


def _is_kept(kms: Any, key_id: str) -> bool:
    state: str = kms.describe_key(KeyId=key_id)["KeyMetadata"]["KeyState"]
    return state != "PendingDeletion"


def _unless_absent(call: Callable[..., Any], **arguments: str) -> Any:
    return _unless(NOT_THERE, lambda: call(**arguments))


def _unless(codes: Collection[str], ask: Callable[[], Any]) -> Any:
    """The service's answer, or None if it refuses with one of the codes."""
    try:
        return ask()
    except Exception as error:
        if getattr(error, "response", {}).get("Error", {}).get("Code") in codes:
            return None
        raise
