"""The engine's policy as that of a principal in AWS: of the role or user that is made, or of a role of somebody else."""

from firnline_infra.blueprint.aws import IamUser
from firnline_infra.blueprint.engine_policy import engine_policy
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.length import check_policy_length
from firnline_infra.blueprint.storage import key_value
from firnline_infra.environment import Environment
from firnline_infra.specification.runtime import Trust
from firnline_ingest.errors import ConfigError


def principals_policy(environment: Environment) -> tuple[PolicyStatement, ...]:
    """Empty if the engine brings its own credentials. Raises ConfigError for a policy that is longer than IAM takes, and for
    a boundary that is that policy."""
    names = environment.names
    runtime = environment.aws.runtime
    if runtime.trust is Trust.NOBODY and runtime.role_arn is None:
        return ()
    is_user = runtime.trust is Trust.STATIC_KEYS
    kind, name = ("user", names.engine_user) if is_user else ("role", names.engine_role)
    statements = engine_policy(environment, key_value(environment))
    check_policy_length(statements, kind=kind, name=name, source=environment.name)
    if is_user and environment.aws.permissions_boundary == environment.arns.policy(name, path=IamUser.policy_path):
        what = "aws.permissions_boundary: is the engine's own policy, which bounds nobody: its deployer writes it"
        raise ConfigError(environment.name, [f"{what}. Name another one; `firnline bootstrap` writes one."])
    return statements
