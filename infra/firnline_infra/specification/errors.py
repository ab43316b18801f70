"""Errors of an environment before anything of it is created."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from firnline_ingest.errors import Fatal, FirnlineError, declared


@declared
class KeysMissing(FirnlineError, Fatal):
    """A user of the environment has no public key yet."""

    missing: Sequence[str]
    next_step: str

    id = "FL-7001"
    message = "Nobody could log in to Snowflake as {missing: or }: there is no public key yet."
    causes = "`up` before a user of the environment has a public key; a preview only says so"
    remedy = "`firnline keys create`; it makes the pair and says where it lies"

    @classmethod
    def of(cls, environment: str, missing: Mapping[str, str]) -> Self:
        """`missing` maps what `firnline keys` calls a user to the user's name in Snowflake."""
        commands = "; ".join(f"firnline keys create {environment} {user}" for user in missing)
        return cls(
            [*missing.values()],
            next_step=f"{commands}. The public half is written beside the specification: review and commit it.",
        )

    @classmethod
    def where_the_engine_runs(cls, missing: Mapping[str, str]) -> Self:
        """The error for users whose private half is not in Secrets Manager; `missing` has their paths in the specification."""
        fields = " and ".join(f"{path}.public_keys.slot_1" for path in missing)
        return cls(
            [*missing.values()],
            next_step="make the pair where its private half is kept (openssl genrsa 3072 | openssl pkcs8 -topk8 -nocrypt -out "
            f"key.pem; openssl rsa -in key.pem -pubout) and give its public half as {fields}.",
        )


@declared
class EncryptionKeyMissing(FirnlineError, Fatal):
    """The KMS key that the bootstrap makes is not there, or not recorded yet."""

    alias: str
    environment: str

    id = "FL-5561"
    message = "The environment's key {alias} is not recorded beside the specification, and policies name it by its ARN."
    next_step = (
        "have an administrator apply what `firnline bootstrap` renders, which creates the key; then firnline keys "
        "create, or firnline up {environment}, writes its ARN down: commit it. Nothing was created."
    )
    causes = (
        "The KMS key that the bootstrap makes is not there, or not recorded beside the specification yet. Nothing was "
        "created"
    )
    remedy = (
        "have an administrator apply what `firnline bootstrap` renders; `firnline keys create` or `firnline up` writes "
        "the key's ARN down: commit it"
    )


@declared
class SpecificationExists(FirnlineError, Fatal):
    """A first specification was to be written over a file."""

    path: Path

    id = "FL-7002"
    message = "{path} exists already."
    causes = "`firnline init` was to write over a file"
    remedy = "name another file, or write over it with --force."
