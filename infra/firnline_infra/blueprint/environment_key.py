"""The environment's KMS key: the bootstrap makes it, an administrator keeps it, and everybody else only uses it.

Its ARN is AWS's to give. The template knows it as what it makes; once it is recorded beside the specification, whoever asks
for rights outside of the template knows it too.
"""

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.resource_policies import key_policy
from firnline_infra.blueprint.iam.statement import Effect
from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import bootstrap_names
from firnline_infra.specification.origin import Origin

ENVIRONMENT_KEY = Reference("EnvironmentKey", "Arn")
ADMINISTRATION = (
    *("kms:PutKeyPolicy", "kms:ScheduleKeyDeletion", "kms:DisableKey", "kms:DisableKeyRotation", "kms:TagResource"),
    *("kms:UntagResource", "kms:CreateAlias", "kms:UpdateAlias", "kms:DeleteAlias", "kms:UpdateKeyDescription"),
    *("kms:EnableKey", "kms:EnableKeyRotation", "kms:RotateKeyOnDemand", "kms:CancelKeyDeletion"),
    *("kms:ImportKeyMaterial", "kms:DeleteImportedKeyMaterial", "kms:ReplicateKey", "kms:UpdatePrimaryRegion"),
)
GRANTS = ("kms:CreateGrant", "kms:RevokeGrant")


def key_of(spec: EnvironmentSpec) -> Value | None:
    """Returns None if AWS manages the keys."""
    if spec.aws.key.origin is Origin.SKIP:
        return None
    return spec.aws.key.arn or ENVIRONMENT_KEY


def environment_key_policy(spec: EnvironmentSpec, blueprint: Blueprint) -> tuple[PolicyStatement, ...]:
    """The account's IAM policies say who uses and who administers it, because who writes to a stream is known to them
    alone; those that the environment itself has may never administer it, whatever an IAM policy says.
    """
    arns, names = Arns(spec), bootstrap_names(spec)
    made = [role.name for role in blueprint.roles]
    users = [] if blueprint.user is None else [arns.user(blueprint.user.name)]
    theirs = (*(arns.role(name) for name in (names.deployer_role, names.previewer_role, *made)), *users)
    denied: dict[str, dict[str, Value | tuple[Value, ...]]] = {"ArnEquals": {"aws:PrincipalArn": theirs}}
    return (
        *key_policy(account_root=arns.account_root),
        PolicyStatement(
            sid="EnvironmentAdministersNothing",
            effect=Effect.DENY,
            actions=ADMINISTRATION,
            resources=("*",),
            principals={"AWS": "*"},
            conditions=denied,
        ),
        PolicyStatement(
            sid="EnvironmentGrantsToServicesAlone",
            effect=Effect.DENY,
            actions=GRANTS,
            resources=("*",),
            principals={"AWS": "*"},
            # A request that does not say it comes from a service is one of theirs.
            conditions={**denied, "BoolIfExists": {"kms:GrantIsForAWSResource": "false"}},
        ),
    )
