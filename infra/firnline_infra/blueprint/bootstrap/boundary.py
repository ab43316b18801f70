"""The policy that bounds every role and user that an environment makes: no more than engines and volumes ever need.

It names services and the account, not single objects, so that a new stream needs no new boundary; the roles' own policies
name the objects.
"""

from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.volume import OBJECT_ACTIONS
from firnline_infra.spec.arns import Arns
from firnline_infra.spec.model import EnvironmentSpec
from firnline_ingest.permissions import PERMISSIONS

BUCKET_ACTIONS = ("s3:ListBucket", "s3:GetBucketLocation")
VOLUME_ACTIONS = (*OBJECT_ACTIONS, *BUCKET_ACTIONS, "kms:Decrypt", "kms:GenerateDataKey")


def boundary_statements(spec: EnvironmentSpec) -> tuple[PolicyStatement, ...]:
    arns = Arns(spec)
    actions = dict.fromkeys(sorted({*(permission.action for permission in PERMISSIONS), *VOLUME_ACTIONS}))
    places = {
        "Kinesis": arns.stream("*"),
        "Dynamodb": arns.table("*"),
        "Secretsmanager": arns.secret("*").removesuffix("-??????"),
        "Kms": arns.key("*"),
        "Bucket": arns.bucket("*"),
        "S3": arns.bucket("*/*"),
    }
    return tuple(
        PolicyStatement(
            sid=f"Within{place}",
            actions=tuple(action for action in actions if _place(action) == place),
            resources=(resource,),
            conditions={"StringEquals": {"aws:ResourceAccount": spec.aws.account}},
        )
        for place, resource in places.items()
    )


def _place(action: str) -> str:
    return "Bucket" if action in BUCKET_ACTIONS else action.partition(":")[0].title()
