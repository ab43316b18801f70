"""What can go wrong with keys.

KeysError
├── KeyExists            the user has a key; replacing it is `rotate`
├── KeyGivenElsewhere    the specification itself has the public key
├── NoSecretHere         the environment keeps no secrets
├── SecretForeign        the secret is not this environment's
├── SecretDeleted        the secret waits for its deletion
├── SecretUnusable       what the secret holds is no key
├── PrivateHalfMissing   the file names a key that the secret does not hold
├── KeysDisagree         the file and the secret speak of different keys
├── UserNotDescribed     Snowflake did not say which keys are registered
├── NoAccessKeyHere      the engine is no IAM user
├── AccessKeyExists      the engine's IAM user has an access key
└── EngineUserMissing    there is no such IAM user yet
"""

from pathlib import Path

from firnline_ingest.errors import Fatal, FirnlineError


class KeysError(FirnlineError, Fatal):
    """A key pair could not be made or replaced. Nothing was overwritten."""

    id = "FL-6110"


class KeyExists(KeysError):
    """Making one more would cut off whoever uses it. Runbook: FL-6111."""

    id = "FL-6111"

    def __init__(self, user: str, secret: str, *, environment: str, fingerprint: str) -> None:
        super().__init__(
            f"User {user} has a key already: {fingerprint} in secret {secret}.",
            next_step=f"to replace it without a gap: firnline keys rotate {environment} {user}",
        )


class KeyGivenElsewhere(KeysError):
    """The specification itself has a public key of the user. Runbook: FL-6112."""

    id = "FL-6112"

    def __init__(self, keys_file: Path, user: str) -> None:
        super().__init__(
            f"The specification gives snowflake.{user}.public_keys itself; {keys_file} would give them twice.",
            next_step="go on looking after that key yourself; or remove it from the specification and run this again.",
        )


class NoSecretHere(KeysError):
    """With `trust: nobody` the engine has no rights in AWS to read a secret with. Runbook: FL-6113."""

    id = "FL-6113"

    def __init__(self, environment: str) -> None:
        super().__init__(
            f"Environment {environment} keeps no secrets: aws.runtime.trust is nobody, so the key lies where the engine runs.",
            next_step="make the pair there (openssl genrsa 3072 | openssl pkcs8 -topk8 -nocrypt) and put its public half into "
            "snowflake.ingest.public_keys.slot_1; or let the engine have a role.",
        )


class SecretForeign(KeysError):
    """Its tags say that it belongs to something else. Runbook: FL-6114."""

    id = "FL-6114"

    def __init__(self, secret: str, *, owner: str) -> None:
        super().__init__(
            f"Secret {secret} exists and is not this environment's: {owner}.",
            next_step="give this environment another `name` or `application`, or remove the secret if nobody needs it.",
        )


class SecretDeleted(KeysError):
    """A deleted secret can be had back for some days. Runbook: FL-6115."""

    id = "FL-6115"

    def __init__(self, secret: str) -> None:
        super().__init__(
            f"Secret {secret} was deleted, and AWS keeps its name until the waiting time is over.",
            next_step=f"have it back: aws secretsmanager restore-secret --secret-id {secret}; then run this again.",
        )


class SecretUnusable(KeysError):
    """Somebody put something else there. Runbook: FL-6116."""

    id = "FL-6116"

    def __init__(self, secret: str, stage: str, why: str) -> None:
        super().__init__(
            f"The version {stage} of secret {secret} can't be used: {why}.",
            next_step="find out who wrote it. Where nobody needs it, delete the secret, and run firnline keys create.",
        )


class PrivateHalfMissing(KeysError):
    """The file says that there is a key, the secret holds none. Runbook: FL-6117."""

    id = "FL-6117"

    def __init__(self, file: Path, user: str, *, secret: str) -> None:
        super().__init__(
            f"{file} names a key of {user}, and secret {secret} holds no private half of it in this account.",
            next_step=f"is it the right account? Where the secret is really gone: remove {user} from the file, and run "
            "firnline keys create again.",
        )


class KeysDisagree(KeysError):
    """Going on could retire the key that is in use. Runbook: FL-6118."""

    id = "FL-6118"

    def __init__(self, file: Path, user: str, why: str, *, next_step: str | None = None) -> None:
        super().__init__(
            f"{file} and the secret disagree about {user}: {why}.",
            next_step=next_step
            or "take the file as it was committed last (git checkout), and run the same command again.",
        )


class UserNotDescribed(KeysError):
    """An empty answer proves nothing. Runbook: FL-6119."""

    id = "FL-6119"

    def __init__(self, user: str, why: str) -> None:
        super().__init__(
            f"Snowflake does not say which keys user {user} has: {why}.",
            next_step="the first `firnline up` makes the user; who deploys needs OWNERSHIP of it, or MONITOR on it.",
        )


class NoAccessKeyHere(KeysError):
    """Only `trust: static-keys` makes an IAM user. Runbook: FL-6120."""

    id = "FL-6120"

    def __init__(self, environment: str, *, trust: str) -> None:
        super().__init__(
            f"The engine of {environment} needs no access key: aws.runtime.trust is {trust}.",
            next_step="nothing; or set aws.runtime.trust to static-keys for an engine outside AWS.",
        )


class AccessKeyExists(KeysError):
    """One is enough; a second one would live on unseen. Runbook: FL-6121."""

    id = "FL-6121"

    def __init__(self, user: str, secret: str) -> None:
        super().__init__(
            f"IAM user {user} has an access key already: it is in secret {secret}.",
            next_step=f"to replace it: aws iam create-access-key --user-name {user}, put it into the secret, and delete "
            "the old one when `aws iam get-access-key-last-used` shows that nobody uses it.",
        )


class EngineUserMissing(KeysError):
    """An access key belongs to a user, and `up` makes that. Runbook: FL-6122."""

    id = "FL-6122"

    def __init__(self, user: str) -> None:
        super().__init__(
            f"There is no IAM user {user} in this account.",
            next_step="the first `firnline up` makes it; run this again after that.",
        )
