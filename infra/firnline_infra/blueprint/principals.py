"""The engine's principal in AWS: a role, or a user with static keys, with the policy of its features (engine_policy.py)."""

from firnline_infra.blueprint.aws import IamRole, IamUser
from firnline_infra.blueprint.engine_policy import engine_policy
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.length import check_policy_length
from firnline_infra.blueprint.iam.trust import trust
from firnline_infra.blueprint.value import Value
from firnline_infra.environment import tags
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.runtime import Trust
from firnline_ingest.errors import ConfigError


def engine_role(spec: EnvironmentSpec, names: Names, key_arn: Value | None) -> IamRole | None:
    """Raises ConfigError for a policy that is longer than IAM takes."""
    if spec.aws.runtime.trust in (Trust.NOBODY, Trust.STATIC_KEYS) or spec.aws.runtime.role_arn is not None:
        return None
    statements = engine_policy(spec, names, key_arn)
    check_policy_length(statements, kind="role", name=names.engine_role, source=spec.name)
    return IamRole(
        name=names.engine_role,
        trust=trust(spec.aws.runtime, partition=spec.aws.partition, account=spec.aws.account, role=names.engine_role),
        statements=statements,
        description=f"Firnline's engine, environment {spec.name}",
        permissions_boundary=spec.aws.permissions_boundary,
        tags=tags(spec, component="engine"),
    )


@part
class AdoptedRole(Definition):
    """The role of somebody else that the engine runs as, and what its owner has to give it."""

    arn: str
    trust: tuple[PolicyStatement, ...]
    statements: tuple[PolicyStatement, ...]


def adopted_role(spec: EnvironmentSpec, names: Names, key_arn: Value | None) -> AdoptedRole | None:
    """Raises ConfigError for a policy that is longer than IAM takes."""
    runtime = spec.aws.runtime
    if runtime.role_arn is None:
        return None
    statements = engine_policy(spec, names, key_arn)
    check_policy_length(statements, kind="role", name=names.engine_role, source=spec.name)
    return AdoptedRole(
        arn=runtime.role_arn,
        trust=trust(runtime, partition=spec.aws.partition, account=spec.aws.account, role=names.engine_role),
        statements=statements,
    )


def engine_user(spec: EnvironmentSpec, names: Names, key_arn: Value | None) -> IamUser | None:
    """Raises ConfigError for a policy that is longer than IAM takes, and for a boundary that is that policy."""
    if spec.aws.runtime.trust is not Trust.STATIC_KEYS:
        return None
    statements = engine_policy(spec, names, key_arn)
    check_policy_length(statements, kind="user", name=names.engine_user, source=spec.name)
    user = IamUser(
        name=names.engine_user,
        statements=statements,
        description=f"Firnline's engine, environment {spec.name}",
        permissions_boundary=spec.aws.permissions_boundary,
        tags=tags(spec, component="engine"),
    )
    if user.permissions_boundary == Arns(spec).policy(user.name, path=user.policy_path):
        what = "aws.permissions_boundary: is the engine's own policy, which bounds nobody: its deployer writes it"
        raise ConfigError(spec.name, [f"{what}. Name another one; `firnline bootstrap` writes one."])
    return user
