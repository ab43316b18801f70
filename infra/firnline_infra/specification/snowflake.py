"""The Snowflake side of an environment: the account, and who writes, reads and deploys there."""

from ipaddress import ip_network
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from firnline_infra.specification.aws import BucketName
from firnline_infra.specification.containers import DatabaseOptions, NetworkPolicyOptions, ObjectOrigin
from firnline_infra.specification.public_key import PublicKeyText
from firnline_ingest.config.account import ACCOUNT
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import Form
from firnline_ingest.config.identifier import IdentifierText
from firnline_ingest.config.login import KeyPlace, SnowflakeOptions


def _network(text: str) -> str:
    try:
        return str(ip_network(text))
    except ValueError as error:
        raise ValueError(f"is not a network: {error}") from None


Network = Annotated[str, AfterValidator(_network)]
SECRET_ARN = Form(
    r"arn:[a-z-]+:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@!-]+",
    "the ARN of a secret in Secrets Manager",
    "arn:aws:secretsmanager:eu-central-1:123456789012:secret:firnline-dev/snowflake/ingest-AbCdEf",
)
ACCOUNT_HOST = Form(
    r"(?!https?:)[a-z0-9_-]+(\.[a-z0-9_-]+)+",
    "a host in lower case, without https:// and without a port",
    "org-account.snowflakecomputing.cn",
)
PREFIX = Form(r"([A-Za-z0-9_.-]+/)+", "folders of letters, digits and _ . - with a slash after each", "tables/")
SecretArn = Annotated[str, SECRET_ARN]
WarehouseSize = Literal["X-SMALL", "SMALL", "MEDIUM", "LARGE", "X-LARGE", "2X-LARGE", "3X-LARGE"]


class PublicKeys(Section):
    """The two places that a Snowflake user has for public keys, so that a key can be replaced while in use."""

    slot_1: PublicKeyText | None = None
    """RSA_PUBLIC_KEY"""
    slot_2: PublicKeyText | None = None
    """RSA_PUBLIC_KEY_2"""

    @property
    def is_given(self) -> bool:
        return self != PublicKeys()


class ServiceUser(Section):
    """A user for a program, and the one role it has."""

    origin: ObjectOrigin = Field(default=ObjectOrigin.CREATE, strict=False)
    """`adopt` uses a user and a role that exist: neither is altered or dropped, and the role gets what its tables need besides
    what it has. Their owner gives the role to the user, and registers the public key."""
    user: IdentifierText | None = None
    """The user's name; <APPLICATION>_INGEST, _READER, or _INGEST_<STREAM> of a pipeline's own by default."""
    role: IdentifierText | None = None
    """The role's name; the user's by default."""
    public_keys: PublicKeys = PublicKeys.default()
    """`firnline keys create` writes them into a file beside the specification."""
    secret_arn: SecretArn | None = None
    """Where `firnline keys create` put the private key; it writes this too."""
    private_key: KeyPlace | None = None
    """Where the engine's machines have the private key, in place of a secret in Secrets Manager: a file that a volume shows
    (a Secret of Kubernetes, or what Vault or Azure Key Vault keep), or a variable (docs/secrets.md)."""

    @model_validator(mode="after")
    def _the_key_is_in_one_place(self) -> Self:
        if self.secret_arn is not None and self.private_key is not None:
            raise ValueError("give secret_arn or private_key: the key is in Secrets Manager, or with the engine")
        return self

    @model_validator(mode="after")
    def _an_adopted_one_is_named(self) -> Self:
        if self.origin is ObjectOrigin.ADOPT and self.user is None:
            raise ValueError("origin: adopt needs the user that exists: give user, and role where it has another name")
        return self


class Reader(ServiceUser):
    """The user that the audit, the status page and people are: may select."""

    granted_to: list[IdentifierText] = Field(default=[])
    """Roles that get the reader's role, so that their people see the tables."""


class InteractiveWarehouseOptions(Section):
    """Runs queries on interactive tables."""

    name: IdentifierText
    """It is made here, with the interactive tables attached."""
    origin: ObjectOrigin = Field(default=ObjectOrigin.CREATE, strict=False)
    """`adopt` uses one that exists: its owner attaches the interactive tables to it."""
    size: WarehouseSize = "X-SMALL"
    """The smallest by default; an hour is billed at least whenever it resumes."""

    @model_validator(mode="after")
    def _an_adopted_one_is_left_as_it_is(self) -> Self:
        if self.origin is ObjectOrigin.ADOPT and "size" in self.model_fields_set:
            raise ValueError("origin: adopt leaves the warehouse as it is; remove size")
        return self


class ExternalVolume(Section):
    """A place in S3 where Snowflake keeps Iceberg tables."""

    name: IdentifierText
    """What pipelines name in external_volume."""
    origin: ObjectOrigin = Field(default=ObjectOrigin.CREATE, strict=False)
    """`adopt` uses a volume that exists, with the bucket and the role that its owner gave it: nothing is made for it."""
    bucket: BucketName | None = None
    """<application>-<name>-<account>-<region> by default. It is made, and Snowflake alone writes there."""
    prefix: Annotated[str, PREFIX] = "tables/"
    """The folder in the bucket, with a slash at its end; Snowflake's rights end there."""

    @model_validator(mode="after")
    def _an_adopted_one_is_left_as_it_is(self) -> Self:
        given = self.model_fields_set - {"name", "origin"}
        if self.origin is ObjectOrigin.ADOPT and given:
            raise ValueError(f"origin: adopt leaves the volume as it is; remove {', '.join(sorted(given))}")
        return self


class Snowflake(SnowflakeOptions):
    """The account, and who writes and reads there."""

    account: Annotated[str, ACCOUNT]
    """<organisation>-<account>, as in the account's URL."""
    host: Annotated[str, ACCOUNT_HOST] | None = None
    """The host of the account, for the engine, the deployer and the provider; by default, <account>.snowflakecomputing.com (.cn
    with partition: aws-cn; .privatelink in between with network.privatelink), with a hyphen for each underscore of the
    account's name."""
    ingest: ServiceUser = ServiceUser.default()
    """What the engine is: may insert, and nothing else."""
    reader: Reader = Reader.default()
    """What the audit, the status page and people are: may select."""
    deploy_role: IdentifierText | None = None
    """What makes and owns everything; <APPLICATION>_DEPLOY by default. It exists before the first `up`."""
    preview_role: IdentifierText | None = None
    """What only looks, and CI's user for that; <APPLICATION>_PREVIEW by default. It exists before the first preview."""
    databases: list[DatabaseOptions] = Field(default=[])
    """Databases and schemas that exist already. One that pipelines name and that is not here is made."""
    warehouse: IdentifierText | None = None
    """Exists already, and may be the smallest: the reader's queries run in it, and what deploys asks Snowflake in it which
    policies a user or table has. The engine needs none: ingestion is serverless.
    """
    allowed_networks: list[Network] = Field(default=[])
    """From where the engine and the reader may connect, as CIDR; from anywhere where empty. Watch LOGIN_HISTORY."""
    network_policy: NetworkPolicyOptions = NetworkPolicyOptions.default()
    """The policy that says so: made of these networks, or one that exists."""
    key_pair_only: bool = False
    """An authentication policy on both users that allows nothing but their key pair, whatever they are given later. Their
    type, SERVICE, keeps passwords out in any case. What deploys gets APPLY AUTHENTICATION POLICY on these users alone,
    and needs a warehouse.
    """
    authentication_policy: IdentifierText | None = None
    """The name of that policy, in the first pipeline's schema; <APPLICATION>_KEY_PAIR_ONLY by default."""
    external_volumes: list[ExternalVolume] = Field(default=[])
    """Places in S3 for the pipelines with table_kind: iceberg; each with a bucket, a role and its trust."""
    interactive_warehouse: InteractiveWarehouseOptions | None = None
    """What pipelines with table_kind: interactive need, to be queried."""
