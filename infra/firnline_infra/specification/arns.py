"""The ARNs that follow from an environment's specification before anything is made."""

from dataclasses import dataclass

from firnline_infra.specification.model import EnvironmentSpec


@dataclass(frozen=True, slots=True)
class Arns:
    spec: EnvironmentSpec

    @property
    def account_root(self) -> str:
        return self.global_("iam", "root")

    def stream(self, name: str) -> str:
        return self.regional("kinesis", f"stream/{name}")

    def table(self, name: str) -> str:
        return self.regional("dynamodb", f"table/{name}")

    def consumer(self, stream: str, name: str) -> str:
        """The ARN of every registration under this name: AWS appends its time."""
        return f"{self.consumer_by_name(stream, name)}:*"

    def consumer_by_name(self, stream: str, name: str) -> str:
        """The ARN that Kinesis decides about when a request names a consumer and its stream: it has no time. Real answers
        quote it (aws/aws-cdk#22184, awslabs/amazon-kinesis-client-python#96, read on 2026-11-28)."""
        return self.regional("kinesis", f"stream/{stream}/consumer/{name}")

    def key(self, id_: str) -> str:
        return self.regional("kms", f"key/{id_}")

    def alias(self, name: str) -> str:
        return self.regional("kms", f"alias/{name}")

    def secret(self, name: str) -> str:
        """AWS adds a hyphen and six letters of its own."""
        return f"{self.secret_by_name(name)}-??????"

    def secret_by_name(self, name: str) -> str:
        """The ARN that Secrets Manager decides about while no secret has the name, so that the answer is that there is none,
        and no refusal (measured by ministackorg/ministack#1737, read on 2026-11-28)."""
        return self.regional("secretsmanager", f"secret:{name}")

    def log_group(self, name: str) -> str:
        """The ARN for TagResource, UntagResource and ListTagsForResource alone (CloudWatch Logs user guide, "Overview of
        managing access permissions", 2026-11-28)."""
        return self.regional("logs", f"log-group:{name}")

    def in_log_group(self, name: str) -> str:
        """The ARN for every other action on a log group or on its streams (same page)."""
        return f"{self.log_group(name)}:*"

    def vpc(self, id_: str) -> str:
        return self.regional("ec2", f"vpc/{id_}")

    def security_group(self, id_: str) -> str:
        return self.regional("ec2", f"security-group/{id_}")

    def network(self, kind: str) -> str:
        """All of a kind: network-interface, subnet, security-group."""
        return self.regional("ec2", f"{kind}/*")

    def in_network(self, kind: str, id_: str) -> str:
        return self.regional("ec2", f"{kind}/{id_}")

    def serverless_application(self, id_: str) -> str:
        return self.regional("emr-serverless", f"/applications/{id_}")

    def virtual_cluster(self, id_: str) -> str:
        return self.regional("emr-containers", f"/virtualclusters/{id_}")

    def emr_cluster(self, id_: str) -> str:
        return self.regional("elasticmapreduce", f"cluster/{id_}")

    def eks_cluster(self, name: str) -> str:
        return self.regional("eks", f"cluster/{name}")

    def pod_association(self, cluster: str, id_: str) -> str:
        return self.regional("eks", f"podidentityassociation/{cluster}/{id_}")

    def repository(self, name: str) -> str:
        return self.regional("ecr", f"repository/{name}")

    def workgroup(self, id_: str) -> str:
        return self.regional("redshift-serverless", f"workgroup/{id_}")

    def redshift_namespace(self, id_: str) -> str:
        """The ARN of a namespace of Redshift Serverless."""
        return self.regional("redshift-serverless", f"namespace/{id_}")

    def redshift_cluster(self, identifier: str) -> str:
        return self.regional("redshift", f"cluster:{identifier}")

    def redshift_snapshot(self, cluster: str, snapshot: str) -> str:
        return self.regional("redshift", f"snapshot:{cluster}/{snapshot}")

    def redshift_user(self, cluster: str, user: str) -> str:
        return self.regional("redshift", f"dbuser:{cluster}/{user}")

    def redshift_database(self, cluster: str, database: str) -> str:
        return self.regional("redshift", f"dbname:{cluster}/{database}")

    def schedule(self, name: str) -> str:
        """The ARN of a schedule of EventBridge Scheduler, in the group that each account has."""
        return self.regional("scheduler", f"schedule/default/{name}")

    def schedule_group(self, name: str) -> str:
        return self.regional("scheduler", f"schedule-group/{name}")

    def event_rule(self, name: str) -> str:
        """The ARN of a rule on the account's default event bus."""
        return self.regional("events", f"rule/{name}")

    def policy(self, name: str, *, path: str = "/") -> str:
        return self.global_("iam", f"policy{path}{name}")

    def instance_profile(self, name: str) -> str:
        return self.global_("iam", f"instance-profile/{name}")

    def user(self, name: str) -> str:
        return self.global_("iam", f"user/{name}")

    def oidc_provider(self, host: str) -> str:
        return self.global_("iam", f"oidc-provider/{host}")

    def role(self, name: str) -> str:
        return self.global_("iam", f"role/{name}")

    def bucket(self, name: str) -> str:
        return f"arn:{self.spec.aws.partition}:s3:::{name}"

    def regional(self, service: str, resource: str) -> str:
        aws = self.spec.aws
        return f"arn:{aws.partition}:{service}:{aws.region}:{aws.account}:{resource}"

    def global_(self, service: str, resource: str) -> str:
        """The ARN of an object that belongs to the account, whatever the region."""
        return f"arn:{self.spec.aws.partition}:{service}::{self.spec.aws.account}:{resource}"
