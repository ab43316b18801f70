"""What a person who runs `firnline keys` may do in AWS: a policy for an administrator to attach, to few.

It is apart from the deployer's rights, so that neither CI nor a pull request can ever see a private key. Snowflake's part
is a session in the deploy role.
"""

from collections.abc import Iterator

from firnline_infra.blueprint.bootstrap.deployer import OURS
from firnline_infra.blueprint.bootstrap.resources import secret_arns
from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.key_keeper import (
    KEEP_ACCESS_KEY,
    KEEP_SECRET,
    MAKE_ACCESS_KEY,
    SEE_RUN,
    USE_LEDGERS_KEY,
    USE_SECRETS_KEY,
)
from firnline_infra.blueprint.iam.kms import via
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.aws import Origin
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import application_of
from firnline_ingest.permissions.narrowing import ledger_partitions


def key_keeper_statements(spec: EnvironmentSpec, blueprint: Blueprint) -> tuple[PolicyStatement, ...]:
    """Empty where the environment has no secret."""
    if not blueprint.secrets:
        return ()
    return (*_secrets(spec, blueprint), *_run(spec, blueprint), *_access_key(spec, blueprint))


def _secrets(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    arns = secret_arns(blueprint, Arns(spec))
    yield PolicyStatement(sid="KeepPrivateKeys", actions=tuple(KEEP_SECRET), resources=arns)
    if spec.aws.key.arn is not None:  # a key that `up` makes comes too late for secrets
        through = via("secretsmanager", spec.aws.region)
        yield PolicyStatement(
            sid="KeyOfSecrets", actions=tuple(USE_SECRETS_KEY), resources=(spec.aws.key.arn,), conditions=through
        )


def _run(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    ledger = blueprint.ledger.name
    yield PolicyStatement(
        sid="SeeRun",
        actions=tuple(SEE_RUN),
        resources=(Arns(spec).table(ledger),),
        conditions={"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ledger_partitions(())}},
    )
    if spec.aws.key.origin is not Origin.SKIP:
        ours = {} if spec.aws.key.arn else {f"aws:ResourceTag/{OURS}": application_of(spec)}
        through = via("dynamodb", spec.aws.region, {"aws:dynamodb:tableName": ledger})["StringEquals"]
        yield PolicyStatement(
            sid="KeyOfLedger",
            actions=tuple(USE_LEDGERS_KEY),
            resources=(spec.aws.key.arn or Arns(spec).key("*"),),
            conditions={"StringEquals": {**ours, **through}},
        )


def _access_key(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    if blueprint.user is not None:
        arns, names = Arns(spec), blueprint.names
        secret = arns.secret(names.access_key_secret)
        yield PolicyStatement(sid="KeepAccessKey", actions=tuple(KEEP_ACCESS_KEY), resources=(secret,))
        yield PolicyStatement(
            sid="MakeAccessKey", actions=tuple(MAKE_ACCESS_KEY), resources=(arns.user(blueprint.user.name),)
        )
