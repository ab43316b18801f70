"""Rights in AWS of a person who runs `firnline dead-letters`: a policy for an administrator to attach, to few.

Dead letters hold what producers sent, and a replay writes with the engine's own user, so nobody else has it: not CI, not the
engine's role, which may read them only if a pipeline sets `oversize_rows: file`. Tests run the commands under these
statements, and without each.
"""

from collections.abc import Iterator

from firnline_infra.blueprint.bucket_layout import LETTERS_FOLDER, folder, has_bucket
from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.environment_key import key_of
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.engine import SIDS, EngineAccess, engine_statements
from firnline_infra.blueprint.iam.statement import allow, via
from firnline_infra.blueprint.registries import login_keys, login_secrets, uses_glue
from firnline_infra.blueprint.storage import secrets_key
from firnline_infra.blueprint.value import Value
from firnline_infra.environment import Environment
from firnline_infra.kinds.keys_and_secrets import SECRET, secret_arn_of
from firnline_infra.kinds.kind import own_name
from firnline_infra.render.bootstrap.key_keeper import USE_SECRETS_KEY
from firnline_infra.specification.dead_letters import DeadLetters
from firnline_infra.specification.origin import Origin
from firnline_ingest.permissions import Resource
from firnline_ingest.permissions.narrowing import REPLAYS

LIST = {"s3:ListBucket": "Finds dead letters by their names, and which batches of them were replayed."}
READ = {"s3:GetObject": "Reads dead letters, and what was replayed."}
KEEP = {"s3:PutObject": "Notes a batch before it is sent, and its end. Each name once: it changes no dead letter."}
USE_KEY = {
    "kms:Decrypt": "S3 decrypts an object in the reader's name.",
    "kms:GenerateDataKey": "S3 encrypts an object in the writer's name.",
}
READ_STREAM = {
    "kinesis:ListShards": "Finds the shards of the dead letters' stream.",
    "kinesis:GetShardIterator": "Begins at its oldest record.",
    "kinesis:GetRecords": "Reads dead letters.",
}
USE_STREAMS_KEY = {"kms:Decrypt": "GetRecords decrypts what it answers with, in the reader's name."}
SEE_LEDGER = {
    "dynamodb:DescribeTable": "Whether the table is there.",
    "dynamodb:GetItem": "Which records the engine has passed: before that a dead letter is left alone.",
}
USE_LEDGERS_KEY = {"kms:Decrypt": "DynamoDB opens the table's key in the caller's name."}
DECRYPT = {"kms:Decrypt": USE_SECRETS_KEY["kms:Decrypt"]}
OPEN_KEY = {"secretsmanager:GetSecretValue": "A replay writes rows as the engine's user."}
OF_ENGINE = (Resource.EVERY_SCHEMA, Resource.REGISTRY_LOGINS, Resource.REGISTRY_LOGIN_KEYS)
"""A dead letter is converted as the engine would, which asks the registries."""


def dead_letter_replayer_statements(blueprint: Blueprint) -> tuple[PolicyStatement, ...]:
    """The replayer's statements, whatever the environment has: dead letters in a folder need none but the ledger and the
    key."""
    environment = blueprint.environment
    return (
        *_bucket(blueprint),
        *_stream(environment),
        *_ledger(blueprint),
        *_private_key(blueprint),
        *_registries(environment),
    )


def _bucket(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    environment = blueprint.environment
    if not has_bucket(environment) or environment.dead_letters != DeadLetters():
        return
    bucket, letters = environment.arns.bucket(blueprint.names.bucket), folder(environment, LETTERS_FOLDER)
    yield allow(
        "ListLetters",
        LIST,
        resources=(bucket,),
        conditions={"StringLike": {"s3:prefix": f"{letters}*"}},
    )
    yield allow("ReadLetters", READ, resources=(f"{bucket}/{letters}*",))
    yield allow("KeepReplays", KEEP, resources=(f"{bucket}/{letters}{REPLAYS}*",))
    if (key := key_of(environment)) is not None:
        yield allow("KeyOfLetters", USE_KEY, resources=(key,), conditions=via("s3", environment.aws.region))


def _stream(environment: Environment) -> Iterator[PolicyStatement]:
    found = next((stream for stream in environment.streams if stream.name == environment.dead_letters.stream), None)
    if found is None:
        return
    arn = environment.arns.stream(found.name)
    yield allow("ReadLetterStream", READ_STREAM, resources=(arn,))
    key: Value | None = key_of(environment) if found.origin is Origin.CREATE else found.key_arn
    if key is not None:
        yield allow(
            "KeyOfLetterStream",
            USE_STREAMS_KEY,
            resources=(key,),
            conditions=via("kinesis", environment.aws.region, {"aws:kinesis:arn": arn}),
        )


def _ledger(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    environment = blueprint.environment
    name = blueprint.names.ledger_table
    yield allow("SeeLedger", SEE_LEDGER, resources=(environment.arns.table(name),))
    if (key := key_of(environment)) is not None:
        conditions = via("dynamodb", environment.aws.region, {"aws:dynamodb:tableName": name})
        yield allow("KeyOfLedger", USE_LEDGERS_KEY, resources=(key,), conditions=conditions)


def _private_key(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """Yields those that the engine writes with: a pipeline may have a user of its own."""
    environment = blueprint.environment
    of_engine = (each for each in SECRET.all_rows(blueprint) if own_name(each) != blueprint.names.reader_secret)
    if arns := tuple(secret_arn_of(each, environment.arns) for each in of_engine):
        yield allow("OpenPrivateKey", OPEN_KEY, resources=arns)
        if (key := secrets_key(environment)) is not None:
            through = via("secretsmanager", environment.aws.region)
            yield allow("KeyOfPrivateKey", DECRYPT, resources=(key,), conditions=through)


def _registries(environment: Environment) -> Iterator[PolicyStatement]:
    access = EngineAccess(
        region=environment.aws.region,
        streams={},
        ledger_table="",
        ledger_name="",
        asks_glue=uses_glue(environment),
        registry_logins=login_secrets(environment),
        registry_login_keys=login_keys(environment),
    )
    wanted = {SIDS[on] for on in OF_ENGINE}
    return (each for each in engine_statements(access) if each.sid in wanted)
