"""Rights in AWS of a person who runs `firnline keys`: a policy for an administrator to attach, to few.

Each action has its reason: to see and replace private keys, and nothing around them. Tests compare these with what the
embedded AWS was asked. The policy is apart from the deployer's: CI has no right to a private key of its own, and what it could
still do as the engine is on the page of permissions. Snowflake's part is a session in the deploy role.
"""

from collections.abc import Iterator

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.environment_key import ENVIRONMENT_KEY
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.statement import allow, via
from firnline_infra.blueprint.storage import secrets_key
from firnline_infra.kinds.iam import USER
from firnline_infra.kinds.keys_and_secrets import SECRET, secret_arns_by_name
from firnline_infra.render.bootstrap.engine_run import see_run, use_ledgers_key
from firnline_infra.specification.origin import Origin

FIND_SECRET = {
    "secretsmanager:DescribeSecret": "Which version has which stage, and whose secret it is.",
    "secretsmanager:CreateSecret": "The first key is created before the first `up`.",
    "secretsmanager:TagResource": "The tags by which `up` knows the secret as its own.",
}
KEEP_SECRET = {
    **FIND_SECRET,
    "secretsmanager:GetSecretValue": "Distinguishes keys by their fingerprints; tries the reader's new key.",
    "secretsmanager:PutSecretValue": "Keeps a private key that waits for its registration.",
    "secretsmanager:UpdateSecretVersionStage": "Makes the new key the one that the engine reads.",
}
KEEP_ACCESS_KEY = {
    **FIND_SECRET,
    "secretsmanager:PutSecretValue": "Keeps the access key. It never has to be read back.",
}
USE_SECRETS_KEY = dict.fromkeys(
    ("kms:GenerateDataKey", "kms:Decrypt"),
    'Secrets Manager asks for it in the caller\'s name (its guide, "Secret encryption and decryption").',
)
FIND_KEY = {"kms:DescribeKey": "Which key the alias leads to; its ARN is written beside the specification."}
MAKE_ACCESS_KEY = {
    "iam:ListAccessKeys": "A user that has a key gets no second one.",
    "iam:CreateAccessKey": "Creates the key of the engine's user, into that secret.",
    "iam:DeleteAccessKey": "For when its secret half could not be stored.",
}


def key_keeper_statements(blueprint: Blueprint) -> tuple[PolicyStatement, ...]:
    """Empty where the environment has no secret."""
    if not SECRET.all_rows(blueprint):
        return ()
    return (
        *_secrets(blueprint),
        see_run(blueprint),
        *use_ledgers_key(blueprint),
        *_access_key(blueprint),
    )


def _secrets(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    environment = blueprint.environment
    arns = secret_arns_by_name(blueprint, environment.arns)
    yield allow("KeepPrivateKeys", KEEP_SECRET, resources=arns)
    if (key := secrets_key(environment)) is not None:
        through = via("secretsmanager", environment.aws.region)
        yield allow("KeyOfSecrets", USE_SECRETS_KEY, resources=(key,), conditions=through)
    if environment.aws.key.origin is Origin.CREATE:
        yield allow("FindEnvironmentKey", FIND_KEY, resources=(ENVIRONMENT_KEY,))


def _access_key(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    arns, name = blueprint.environment.arns, blueprint.names.access_key_secret
    if users := USER.own_arns(blueprint, arns):
        yield allow("KeepAccessKey", KEEP_ACCESS_KEY, resources=(arns.secret_by_name(name), arns.secret(name)))
        yield allow("MakeAccessKey", MAKE_ACCESS_KEY, resources=users)
