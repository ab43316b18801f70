"""The engine's policy: what its features need (firnline_ingest.permissions) on what it is given to work with.

One statement for each kind of resource, each with what narrows it further. An engine that is given no secret, no bucket
or no key gets no statement about one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field

from firnline_infra.blueprint.iam.statement import Conditions, PolicyStatement, allow, via
from firnline_infra.blueprint.value import Value
from firnline_infra.specification.definition import Definition, part
from firnline_ingest.permissions import Feature, Resource, required
from firnline_ingest.permissions.narrowing import ENCRYPTION_CONTEXTS, KEY_USERS, ledger_partitions

SIDS = {
    Resource.STREAMS: "ReadStreams",
    Resource.EVERY_STREAM: "FindStreams",
    Resource.CONSUMERS: "Subscribe",
    Resource.UNREGISTERED: "RegisterConsumer",
    Resource.REGISTERED: "DeregisterConsumer",
    Resource.STREAM_KEYS: "DecryptStreams",
    Resource.LEDGER_TABLE: "OpenLedger",
    Resource.LEDGER_ITEMS: "KeepLedger",
    Resource.LEDGER_KEY: "DecryptLedger",
    Resource.SECRET: "ReadPrivateKey",
    Resource.SECRET_KEY: "DecryptPrivateKey",
    Resource.EVERY_SCHEMA: "ReadSchemas",
    Resource.REGISTRY_LOGINS: "ReadRegistryLogins",
    Resource.REGISTRY_LOGIN_KEYS: "DecryptRegistryLogins",
    Resource.BUCKET: "ListCheckpoint",
    Resource.CHECKPOINT: "KeepCheckpoint",
    Resource.JOB_FILES: "ReadJobFiles",
    Resource.DEAD_LETTERS: "KeepDeadLetters",
    Resource.DEAD_LETTER_NAMES: "ListDeadLetters",
    Resource.LOGS: "WriteLogs",
    Resource.LETTER_STREAM: "SendDeadLetters",
    Resource.LETTER_STREAM_KEY: "EncryptDeadLetters",
    Resource.BUCKET_KEY: "UseBucketKey",
}


@part
class EngineAccess(Definition):
    """Objects that the engine works with: ARNs, some known only when the object is created; folders end with a slash."""

    region: str
    streams: Mapping[str, Value]
    """The ARN of each stream by its name; those that are read with the engine's own rights, in its region."""
    patterns: Mapping[str, Value] = field(default_factory=dict)
    """The ARN, with a * at its end, of the streams that a pattern may find, by the beginning of their names and a *."""
    others: tuple[str, ...] = ()
    """Names of the streams that are opened otherwise; the ledger has items of theirs too."""
    polls: bool = True
    """True if any of them is read by polling."""
    consumers: tuple[Value, ...] = ()
    """By which the others are read."""
    registering: tuple[Value, ...] = ()
    """The streams whose consumers the engine registers itself; `registered` are those consumers, which are in `consumers` too."""
    registered: tuple[Value, ...] = ()
    stream_keys: tuple[Value, ...] = ()
    """Of customers only: keys that AWS manages need no permission."""
    ledger_table: Value
    ledger_name: str
    ledger_creation: bool = False
    ledger_key: Value | None = None
    secrets: tuple[Value, ...] = ()
    secret_key: Value | None = None
    asks_glue: bool = False
    """True if records name schemas of Glue's registry."""
    registry_logins: tuple[Value, ...] = ()
    """The secrets with what other registries ask for, and the keys of those that have one of the customer's."""
    registry_login_keys: tuple[Value, ...] = ()
    bucket: str | None = None
    checkpoint_folder: str | None = None
    """Inside the bucket, like the others. Its checkpoint is a folder in it."""
    job_folders: tuple[str, ...] = ()
    letters_folder: str | None = None
    reads_letters: bool = False
    """True if the engine replays some of them itself, by file."""
    log_folder: str | None = None
    letters_stream: Value | None = None
    """In place of a folder of the bucket."""
    letters_stream_key: Value | None = None
    bucket_key: Value | None = None

    @property
    def features(self) -> frozenset[Feature]:
        uses_bucket = bool(self.checkpoint_folder or self.job_folders or self.letters_folder or self.log_folder)
        switches = {
            Feature.POLLING: self.polls,
            Feature.FAN_OUT: bool(self.consumers),
            Feature.REGISTRATION: bool(self.registering),
            Feature.STREAM_PATTERNS: bool(self.patterns),
            Feature.LEDGER_CREATION: self.ledger_creation,
            Feature.SECRET: bool(self.secrets),
            Feature.GLUE_REGISTRY: self.asks_glue,
            Feature.REGISTRY_LOGIN: bool(self.registry_logins),
            Feature.REGISTRY_LOGIN_KEY: bool(self.registry_login_keys),
            Feature.S3_CHECKPOINT: self.checkpoint_folder is not None,
            Feature.S3_JOB_FILES: bool(self.job_folders),
            Feature.S3_DEAD_LETTERS: self.letters_folder is not None,
            Feature.S3_OVERSIZE_ROWS: self.letters_folder is not None and self.reads_letters,
            Feature.S3_LOGS: self.log_folder is not None,
            Feature.STREAM_DEAD_LETTERS: self.letters_stream is not None,
            Feature.LETTER_STREAM_KEY: self.letters_stream_key is not None,
            Feature.STREAM_KEY: bool(self.stream_keys),
            Feature.LEDGER_KEY: self.ledger_key is not None,
            Feature.SECRET_KEY: self.secret_key is not None,
            Feature.BUCKET_KEY: self.bucket_key is not None and uses_bucket,
        }
        return frozenset(feature for feature, is_on in switches.items() if is_on)


def engine_statements(access: EngineAccess) -> tuple[PolicyStatement, ...]:
    """The least that an engine with this access needs; the same access always gives the same statements."""
    rights: dict[Resource, dict[str, str]] = {}
    for permission in required(access.features):
        rights.setdefault(permission.on, {})[permission.action] = permission.why
    return tuple(
        allow(SIDS[on], rights[on], resources=resources, conditions=_conditions(on, access))
        for on in SIDS
        if on in rights and (resources := tuple(dict.fromkeys(_arns(on, access))))
    )


def stream_access(region: str, streams: Mapping[str, Value], keys: tuple[Value, ...]) -> tuple[PolicyStatement, ...]:
    """Returns what polls streams, and nothing else: for those that have a policy of their own."""
    access = EngineAccess(region=region, streams=streams, stream_keys=keys, ledger_table="", ledger_name="")
    wanted = {SIDS[Resource.STREAMS], SIDS[Resource.STREAM_KEYS]}
    return tuple(each for each in engine_statements(access) if each.sid in wanted)


def _arns(on: Resource, access: EngineAccess) -> Iterator[Value]:
    found: dict[Resource, tuple[Value | None, ...]] = {
        Resource.STREAMS: (*access.streams.values(), *access.patterns.values()),
        Resource.EVERY_STREAM: ("*",),
        Resource.CONSUMERS: access.consumers,
        Resource.UNREGISTERED: access.registering,
        Resource.REGISTERED: access.registered,
        Resource.STREAM_KEYS: access.stream_keys,
        Resource.LEDGER_TABLE: (access.ledger_table,),
        Resource.LEDGER_ITEMS: (access.ledger_table,),
        Resource.LEDGER_KEY: (access.ledger_key,),
        Resource.SECRET: access.secrets,
        Resource.SECRET_KEY: (access.secret_key,),
        Resource.EVERY_SCHEMA: ("*",),
        Resource.REGISTRY_LOGINS: access.registry_logins,
        Resource.REGISTRY_LOGIN_KEYS: access.registry_login_keys,
        Resource.BUCKET: (access.bucket,),
        Resource.CHECKPOINT: (f"{access.bucket}/{access.checkpoint_folder}*",),
        Resource.JOB_FILES: tuple(f"{access.bucket}/{folder}*" for folder in access.job_folders),
        Resource.DEAD_LETTERS: (f"{access.bucket}/{access.letters_folder}*",),
        Resource.DEAD_LETTER_NAMES: (access.bucket,),
        Resource.LOGS: (f"{access.bucket}/{access.log_folder}*",),
        Resource.LETTER_STREAM: (access.letters_stream,),
        Resource.LETTER_STREAM_KEY: (access.letters_stream_key,),
        Resource.BUCKET_KEY: (access.bucket_key,),
    }
    return (arn for arn in found[on] if arn is not None)


def _conditions(on: Resource, access: EngineAccess) -> Conditions:
    if on is Resource.LEDGER_ITEMS:
        return {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ledger_partitions(_names(access))}}
    if on in (Resource.EVERY_STREAM, Resource.EVERY_SCHEMA):
        return {"StringEquals": {"aws:RequestedRegion": access.region}}
    if on is Resource.BUCKET:
        return {"StringLike": {"s3:prefix": f"{access.checkpoint_folder}*"}}
    if on is Resource.DEAD_LETTER_NAMES:
        return {"StringLike": {"s3:prefix": f"{access.letters_folder}*"}}
    if on in KEY_USERS:
        return via(KEY_USERS[on], access.region, _encryption_context(on, access))
    return {}


def _names(access: EngineAccess) -> tuple[str, ...]:
    return (*access.streams, *access.patterns, *access.others)


def _encryption_context(on: Resource, access: EngineAccess) -> dict[str, Value | tuple[Value, ...]]:
    """The data that the key is used for, if the service says so."""
    if on not in ENCRYPTION_CONTEXTS:
        return {}
    assert access.secrets or on is not Resource.SECRET_KEY, "a secret's key is needed only with the secret"
    values: dict[Resource, Value | tuple[Value, ...] | None] = {
        Resource.STREAM_KEYS: tuple(access.streams.values()),
        Resource.LEDGER_KEY: access.ledger_name,
        Resource.SECRET_KEY: access.secrets[0] if len(access.secrets) == 1 else access.secrets,
        Resource.REGISTRY_LOGIN_KEYS: access.registry_logins,
        Resource.LETTER_STREAM_KEY: access.letters_stream,
    }
    value = values[on]
    return {} if value is None else {ENCRYPTION_CONTEXTS[on]: value}
