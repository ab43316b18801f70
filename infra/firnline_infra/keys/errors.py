"""Errors of keys.

KeysError
├── KeyExists            the user has a key; replacing it is `rotate`
├── KeyGivenElsewhere    the specification itself has the public key
├── UnknownUser          the environment has no such user
├── NoSecretHere         the user's key is in no secret of the environment
├── SecretForeign        the secret belongs to another environment
├── SecretDeleted        the secret is scheduled for deletion
├── SecretUnusable       the secret's value is not a key
├── PrivateHalfMissing   the file names a key that the secret does not hold
├── KeysDisagree         the file and the secret name different keys
├── UserNotDescribed     Snowflake did not say which keys are registered
├── NoAccessKeyHere      the engine is not an IAM user
├── AccessKeyExists      the engine's IAM user has an access key
└── EngineUserMissing    there is no such IAM user yet
"""

from pathlib import Path

from firnline_ingest.errors import Fatal, FirnlineError, declared, did_you_mean


class KeysError(FirnlineError, Fatal):
    """A key pair could not be made or replaced. Nothing was overwritten."""

    id = "FL-6110"


@declared
class EncryptionKeyUnusable(KeysError):
    """The environment's KMS key is disabled, or waits for its deletion."""

    alias: str
    arn: str
    state: str

    id = "FL-5562"
    message = (
        "{key} is {state}: nothing can be encrypted with it, and once it is gone, nothing read that it has encrypted."
    )
    next_step = (
        "find out who did that and why; then aws kms cancel-key-deletion --key-id {arn} and aws kms enable-key --key-id {arn}, "
        "as an administrator. Nothing was written."
    )
    causes = (
        "The alias of the environment's KMS key leads to one that is disabled, or waits for its deletion. Nothing was "
        "written"
    )
    remedy = "`aws kms cancel-key-deletion`, `aws kms enable-key`"

    @property
    def key(self) -> str:
        return f"The adopted key {self.arn}" if self.alias == self.arn else f"{self.alias} leads to {self.arn}, which"


@declared
class UnknownUser(KeysError):
    """A user is called ingest, reader, or as the stream whose pipeline has a user of its own."""

    user: str
    known: tuple[str, ...]
    environment: str

    id = "FL-6123"
    message = "{environment} has no user {user!r}; {hint}"
    causes = "`firnline keys` for a user that the specification does not have, such as a pipeline's without `ingest`"
    remedy = "name a user of the specification; a pipeline with `ingest: {}` has one that is called as its stream"

    @property
    def hint(self) -> str:
        return did_you_mean(self.user, self.known)


@declared
class KeyExists(KeysError):
    """A second key would lock out whoever uses the first."""

    user: str
    secret: str
    environment: str
    fingerprint: str

    id = "FL-6111"
    message = "User {user} has a key already: {fingerprint} in secret {secret}."
    next_step = "to replace it without a gap: firnline keys rotate {environment} {user}"
    causes = "`keys create` for a user that has a key"
    remedy = "[`keys rotate`](rotate-keys.md)"


@declared
class KeyGivenElsewhere(KeysError):
    """The specification itself has a public key of the user."""

    keys_file: Path
    user: str

    id = "FL-6112"
    message = "The specification gives snowflake.{user}.public_keys itself; {keys_file} would give them twice."
    causes = "The specification itself gives a public key"
    remedy = "go on looking after that key yourself; or remove it from the specification and run this again."


@declared
class NoSecretHere(KeysError):
    """The user's private key is where the engine runs, or in another store; Firnline writes into Secrets Manager alone."""

    environment: str
    path: str

    id = "FL-6113"
    message = (
        "Environment {environment} keeps no secret of {path}: its private key lies where the engine runs (trust: "
        "nobody), or where {path}.private_key says."
    )
    next_step = (
        "make the pair there (openssl genrsa 3072 | openssl pkcs8 -topk8 -nocrypt) and put its public half into "
        "{path}.public_keys.slot_1 (slot_2 while the key is replaced)."
    )
    causes = "With `trust: nobody`, or with a user's `private_key`, the key is not in Secrets Manager"
    remedy = "make the pair where its private half is kept"


@declared
class SecretForeign(KeysError):
    """The secret's tags say that it belongs to another environment or application."""

    secret: str
    owner: str

    id = "FL-6114"
    message = "Secret {secret} exists and is not this environment's: {owner}."
    causes = "A secret of that name has other tags"
    remedy = "give this environment another `name` or `application`, or remove the secret if it is not needed."


@declared
class SecretDeleted(KeysError):
    """The secret was deleted; it can be restored until its recovery window ends."""

    secret: str

    id = "FL-6115"
    message = "Secret {secret} was deleted, and AWS keeps its name until the waiting time is over."
    next_step = "have it back: aws secretsmanager restore-secret --secret-id {secret}; then run this again."
    causes = "The secret waits for its deletion"
    remedy = "`aws secretsmanager restore-secret`"


@declared
class SecretUnusable(KeysError):
    """The secret's value is not a private key: somebody else wrote it."""

    secret: str
    stage: str
    why: str

    id = "FL-6116"
    message = "The version {stage} of secret {secret} can't be used: {why}."
    causes = "The secret holds something that is not a key"
    remedy = "find out who wrote it. If it is not needed, delete the secret, and run firnline keys create."


@declared
class PrivateHalfMissing(KeysError):
    """The file names a public key whose private half is not in the secret."""

    file: Path
    user: str
    secret: str

    id = "FL-6117"
    message = "{file} names a key of {user}, and secret {secret} holds no private half of it in this account."
    next_step = (
        "is it the right account? If the secret is really gone: remove {user} from the file, and run firnline keys "
        "create again."
    )
    causes = "The file names a key whose private half is nowhere in this account"
    remedy = "the right account? else remove the user from the file, create a new key"


@declared
class KeysDisagree(KeysError):
    """The file and the secret name different keys; going on could retire the one that is in use."""

    file: Path
    user: str
    why: str

    id = "FL-6118"
    message = "{file} and the secret disagree about {user}: {why}."
    next_step = "take the file as it was committed last (git checkout), and run the same command again."
    causes = "The file and the secret speak of different keys"
    remedy = "the file as it was committed"


@declared
class UserNotDescribed(KeysError):
    """Snowflake did not describe the user's keys, which is not a proof that there are none."""

    user: str
    why: str

    id = "FL-6119"
    message = "Snowflake does not say which keys user {user} has: {why}."
    causes = "Snowflake does not say which keys a user has"
    remedy = "the first `firnline up` creates the user; who deploys needs OWNERSHIP of it, or MONITOR on it."


@declared
class NoAccessKeyHere(KeysError):
    """Only `trust: static-keys` makes an IAM user."""

    environment: str
    trust: str

    id = "FL-6120"
    message = "The engine of {environment} needs no access key: aws.runtime.trust is {trust}."
    causes = "`keys create --aws` where the engine has a role"
    remedy = "nothing; or set aws.runtime.trust to static-keys for an engine outside AWS."


@declared
class AccessKeyExists(KeysError):
    """The user already has an access key."""

    user: str
    secret: str

    id = "FL-6121"
    message = "IAM user {user} has an access key already: it is in secret {secret}."
    next_step = (
        "to replace it: aws iam create-access-key --user-name {user}, put it into the secret, and delete the old one "
        "when `aws iam get-access-key-last-used` shows that nobody uses it."
    )
    causes = "The engine's IAM user has an access key"
    remedy = "replace it by hand: the message says how"


@declared
class EngineUserMissing(KeysError):
    """An access key belongs to an IAM user, and `up` creates that user."""

    user: str

    id = "FL-6122"
    message = "There is no IAM user {user} in this account."
    causes = "`keys create --aws` before the first `up`"
    remedy = "the first `firnline up` makes it; run this again after that."
