"""Refusals of Snowflake, as errors of ours; the SDK's codes are read in sdk_errors.py, the connector's in connection.py."""

from pathlib import Path

from firnline_ingest.errors import Fatal, Retryable, SnowflakeError, declared
from firnline_ingest.snowflake.private_key import CONVERT, MAKE
from firnline_ingest.values import ShardKey


@declared
class KeyUnusable(SnowflakeError, Fatal):
    place: str
    cause: str

    id = "FL-3001"
    message = "The Snowflake user's private key ({place}) can't be used: {cause}"
    next_step = (
        f"convert the key to unencrypted PKCS#8 PEM: {CONVERT} (with -inform DER if it is not text). "
        f"Or make a new one ({MAKE}), and register its public half at the user."
    )
    causes = "The key is encrypted, or not an RSA key; or its file may not be read"
    remedy = f"`{CONVERT}`"


@declared
class KeyAbsent(SnowflakeError, Retryable):
    """Nothing is where the key should be; a file that is being replaced is gone for a moment."""

    place: str
    cause: str

    id = "FL-3131"
    message = "The Snowflake user's private key is not in its place ({place}): {cause}"
    next_step = (
        "put an unencrypted PKCS#8 PEM there, or name another place in snowflake.private_key; an engine that runs "
        "looks again by itself."
    )
    causes = "The key's file or variable is not there; a file that is being replaced is gone for a moment"
    remedy = "put the key there, or correct `snowflake.private_key`"


@declared
class HostUnknown(SnowflakeError, Fatal):
    host: str
    cause: str

    id = "FL-3002"
    message = "Snowflake's host {host} can't be reached: {cause}"
    next_step = "check snowflake.account (or snowflake.url), DNS, and that the network lets the engine reach port 443."
    causes = "There is no such name in the DNS"
    remedy = "`snowflake.account`, `snowflake.url`, egress on port 443"


@declared
class CertificateUntrusted(SnowflakeError, Fatal):
    host: str
    cause: str
    is_for_another_name: bool = False

    id = "FL-3003"
    message = "The certificate of {host} is not trusted: {cause}"
    next_step = "{advice}"
    causes = "A proxy or private endpoint with an authority of its own, or a host that the certificate does not name"
    remedy = "`snowflake.ca_file`; for another name, `snowflake.account` and `snowflake.url`"

    @property
    def advice(self) -> str:
        return (
            "check snowflake.account and snowflake.url (snowflake.host of a specification): no authority helps with a "
            "certificate that is for other names. Write a hyphen for each underscore of the account's name in the host."
            if self.is_for_another_name
            else "if a proxy or a private endpoint has its own authority, name its PEM file in snowflake.ca_file."
        )


@declared
class AuthoritiesUnreadable(SnowflakeError, Retryable):
    """Certificate authorities can't be read: what is mounted late, or replaced, is gone for a moment."""

    file: Path
    cause: str

    id = "FL-3018"
    message = "The certificate authorities of snowflake.ca_file can't be read from {file} here: {cause}"
    next_step = (
        "put the PEM file there on the driver and on every executor (in the image, or by aws.runtime.kubernetes.volumes), or "
        "name another place in snowflake.ca_file; an engine that runs looks again by itself."
    )
    causes = "The file of `snowflake.ca_file` is not where the engine runs, may not be read, or is not PEM"
    remedy = "put it on the driver and on every executor: in the image, or as a volume of the pods"


@declared
class KeyRefused(SnowflakeError, Fatal):
    user: str
    fingerprint: str
    cause: str

    id = "FL-3004"
    message = "Snowflake refused the key of user {user}: {cause}. Its public half has the fingerprint {fingerprint}."
    next_step = (
        "compare with RSA_PUBLIC_KEY_FP and RSA_PUBLIC_KEY_2_FP of DESC USER {user}; register the key, or use the one "
        "that is registered."
    )
    causes = "The registered public key is another one, or the clock is wrong"
    remedy = "compare the fingerprint with DESC USER; check the time"


@declared
class NotAllowed(SnowflakeError, Fatal):
    target: str
    role: str
    cause: str

    id = "FL-3005"
    message = "Role {role} may not write to {target}, or it does not exist. Snowflake says: {cause}"
    next_step = (
        "the role needs USAGE on the database and the schema, INSERT on the table (EVOLVE SCHEMA where it evolves), "
        "OPERATE on a pipe of its own, and USAGE on an Iceberg table's external volume (docs/permissions.md); "
        "`validate` says which of them is missing."
    )
    causes = "A grant is missing, or table or pipe is gone: for a minute, because one 404 passes"
    remedy = "[the grants](first-real-run.md), then `firnline validate`"


@declared
class SdkBlocked(SnowflakeError, Retryable):
    """A shard's thread does not come back from a call of the SDK."""

    key: ShardKey
    for_s: float

    id = "FL-3262"
    message = (
        "Snowflake's SDK has not returned from a call for shard {key} for {for_s:.0f} s. Its thread is left behind, "
        "and the shard is reopened with another client."
    )
    next_step = (
        "nothing: rows that were not committed are read again. If it happens again, restart the engine (firnline "
        "deploy), keep its log, and report it with the SDK's version."
    )
    causes = (
        "The SDK has not come back from a call for three minutes: its thread is left behind, and the shard is reopened "
        "with another client"
    )
    remedy = "nothing, unless it happens again: restart the engine and report it"


@declared
class SnowflakeUnavailable(SnowflakeError, Retryable):
    action: str
    cause: str

    id = "FL-3010"
    message = "Snowflake could not {action}: {cause}"
    next_step = (
        "nothing is lost, and the shard goes on by itself; if it lasts, see status.snowflake.com and the network."
    )
    causes = "Throttling, 5xx, rows that are long in being committed"
    remedy = "status.snowflake.com, the network"


@declared
class LoginRefused(SnowflakeError, Fatal):
    user: str
    role: str
    cause: str

    id = "FL-3011"
    message = "Snowflake refused a session of user {user} with role {role}: {cause}"
    next_step = (
        "check that the user is there and enabled (ALTER USER {user} SET DISABLED = FALSE), that its policies let it "
        "in, and GRANT ROLE {role} TO USER {user}."
    )
    causes = "The user is disabled, does not have the role, or a policy lets it in no more"
    remedy = "ALTER USER … SET DISABLED = FALSE; GRANT ROLE … TO USER …; it goes on by itself"


@declared
class StatementRefused(SnowflakeError, Retryable):
    """By a session that works: what it is about is one pipeline's."""

    action: str
    cause: str

    id = "FL-3017"
    message = "Snowflake would not {action}: {cause}"
    next_step = "it is asked again with every epoch; run the statement as the engine's role to see more."
    causes = "A SHOW or DESCRIBE of the driver got an answer that no missing object explains; its pipeline alone waits"
    remedy = "run it as the engine's role"


@declared
class SdkUnusable(SnowflakeError, Fatal):
    cause: str

    id = "FL-3012"
    message = "The Snowpipe Streaming SDK can't be used: {cause}"
    next_step = (
        "it runs on Linux (x86-64 and ARM64, glibc 2.26 or newer), macOS on ARM64 and Windows; pip install "
        "'firnline-ingest[engine]' installs it."
    )
    causes = "No SDK for this platform, or it is not installed"
    remedy = "a supported platform; the `engine` extra"
