"""Errors of a registry that does not say what it has. All of it passes, or a person fixes it while the shards wait: none is a
reason to call a record unusable.
"""

from firnline_ingest.aws.next_steps import WHO_ASKED
from firnline_ingest.errors import Retryable, SchemaRegistryError, declared


@declared
class RegistryUnreachable(SchemaRegistryError, Retryable):
    registry: str
    cause: str

    id = "FL-4101"
    message = "The schema registry {registry} does not answer: {cause}"
    next_step = (
        "nothing is lost: the shards that need a schema wait, and ask again by themselves. If it lasts, look at the "
        "registry, and at the way to it from the executors (the network, a proxy, registry.ca_file)."
    )
    causes = "A schema registry does not answer; the shards that need a schema wait, and nothing is lost"
    remedy = (
        "nothing, unless it lasts: the registry, and the way to it from the executors (network, proxy, "
        "`registry.ca_file`)"
    )


@declared
class RegistryThrottled(SchemaRegistryError, Retryable):
    registry: str
    cause: str

    id = "FL-4102"
    message = "The schema registry {registry} is asked too often: {cause}"
    next_step = "nothing, unless it lasts: a process asks once for each schema, so look at who else asks."
    causes = "A registry is asked too often; a process asks once for each schema"
    remedy = "who else asks it"


@declared
class RegistryForbidden(SchemaRegistryError, Retryable):
    registry: str
    cause: str
    right: str

    id = "FL-4103"
    message = "The schema registry {registry} refuses the engine: {cause}"
    next_step = "{right}. The shards wait, and go on by themselves."
    causes = "A registry refuses the engine; the shards wait, and go on when it does not"
    remedy = "a login that may read schemas; of Glue, `glue:GetSchemaVersion` (docs/permissions.md)"


@declared
class RegistryStrange(SchemaRegistryError, Retryable):
    """The registry answers, and not as a registry does: a wrong path, a portal's page, a body that is cut."""

    registry: str
    cause: str

    id = "FL-4104"
    message = "The schema registry {registry} gives an answer that is none of a registry's: {cause}"
    next_step = (
        "check the URL, with its path: GET <url>/schemas/ids/1 has to answer with a schema, or error_code 40403. The "
        "shards wait, and ask again by themselves."
    )
    causes = "The server at the registry's URL is not a registry: a wrong path, a page to log in"
    remedy = "`GET <url>/schemas/ids/1` has to answer with a schema, or with error_code 40403"


@declared
class LoginUnreadable(SchemaRegistryError, Retryable):
    registry: str
    cause: str

    id = "FL-4105"
    message = "The login for the schema registry {registry} can't be read: {cause}"
    next_step = (
        'the secret has to hold {{"username": …, "password": …}}; if it was denied, allow '
        f"secretsmanager:GetSecretValue on it, and kms:Decrypt on its key, {WHO_ASKED}. A variable has to be set on every "
        "executor before it starts. The shards wait, and ask again by themselves."
    )
    causes = "The name and password for a registry can't be read"
    remedy = (
        'the secret: `{"username": …, "password": …}`, and the right to read it; or the variables, on every executor'
    )


@declared
class SchemaForgotten(SchemaRegistryError, Retryable):
    """A registry no longer has the schema of a row that may be in the table already: as a dead letter too it would be
    there twice.
    """

    shard: str
    sequence_number: str
    cause: str

    id = "FL-4106"
    message = "Record {sequence_number} of shard {shard} was sent when its schema was known, and now {cause}"
    next_step = (
        "put the schema back (a registry that only deletes softly has it still): the shard waits, and goes on by "
        "itself. Without it, firnline resume --config engine.json --stream STREAM --from proven goes on behind what "
        "is committed, which is then not proven."
    )
    causes = (
        "After a restart a registry has no schema of an id that it had before, and a record of that id may be in the table: "
        "a replica that is behind, or a schema that was deleted. The shard waits"
    )
    remedy = (
        "the schema, under its id; without it, `firnline resume --config engine.json --stream STREAM --from proven` goes on "
        "behind what is committed"
    )
