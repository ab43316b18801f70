"""The real accounts: AWS by its default chain, Snowflake by the variables that its Pulumi and Terraform providers read."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from firnline_infra.accounts.accounts import PulumiPlace, TerraformPlace
from firnline_infra.accounts.errors import SnowflakeLoginMissing
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.partition import snowflake_host
from firnline_ingest.aws.request_parts import keep_parts

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection

KEY_PAIR = "SNOWFLAKE_JWT"
MODULES = Path("stacks") / "terraform"
"""Where the modules of environments are that Terraform makes, each in a folder of its environment's name."""
NEEDS = {
    "SNOWFLAKE": "PASSWORD",
    "OAUTH": "TOKEN",
    "PROGRAMMATIC_ACCESS_TOKEN": "TOKEN",
    "WORKLOAD_IDENTITY": "WORKLOAD_IDENTITY_PROVIDER",  # no secret: what CI runs as is enough
    KEY_PAIR: "PRIVATE_KEY",
}


def module_of(stack: str) -> Path | None:
    """The folder of its module, where Terraform makes the environment; None where Pulumi does."""
    module = MODULES / stack
    return module if (module / "main.tf.json").is_file() else None


@dataclass(frozen=True)
class RealAccounts:
    spec: EnvironmentSpec
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    @property
    def place(self) -> str:
        return f"AWS account {self.spec.aws.account} and Snowflake account {self.spec.snowflake.account}"

    @property
    def begin_empty(self) -> bool:
        return False

    @property
    def variables(self) -> Mapping[str, str]:
        return {}

    @property
    def engines_machine(self) -> Mapping[str, str]:
        return {}

    def aws(self, service: str) -> Any:
        # The stubs know each service by a literal of its own; here the name is data.
        client = cast("Any", self._session).client(service)
        keep_parts(client)
        return client

    def snowflake(self) -> "SnowflakeConnection":
        """Raises SnowflakeLoginMissing, KeyRefused, SessionRefused or SnowflakeUnavailable."""
        user, authenticator = self._variable("USER"), self._authenticator
        role = self._variable("ROLE") or Names.of(self.spec).deploy_role.name
        needed = NEEDS.get(authenticator)
        wanted = ["USER", *([needed] if needed else [])]
        if missing := [name for name in wanted if not self._variable(name)]:
            raise SnowflakeLoginMissing([f"SNOWFLAKE_{name}" for name in missing])
        if authenticator == KEY_PAIR:
            return self.snowflake_as(user=user, role=role, private_key=self._private_key())
        return self._connect(user, role, authenticator)

    def snowflake_as(self, *, user: str, role: str, private_key: str) -> "SnowflakeConnection":
        from firnline_ingest.snowflake.connection import connect
        from firnline_ingest.snowflake.key import SigningKey

        key = SigningKey(private_key, f"key of {user}")
        return connect(account=self.spec.snowflake.account, user=user, role=role, url=self._url, key=key)

    def key_file(self, spec: EnvironmentSpec, user: str) -> Path | None:
        return None

    def specification(self, spec_file: Path) -> Path:
        return spec_file

    def pulumi(self, stack: str, spec_file: Path) -> PulumiPlace | None:
        return None

    def terraform(self, stack: str, spec_file: Path) -> TerraformPlace | None:
        """Returns the place of Terraform's module, if `firnline terraform STACK --into stacks/terraform/STACK` has
        written one.
        """
        module = module_of(stack)
        return None if module is None else TerraformPlace(module=module, variables={})

    def engine_config(self, document: dict[str, Any], spec: EnvironmentSpec) -> dict[str, Any]:
        return document

    @cached_property
    def _session(self) -> Any:
        import boto3

        return boto3.Session(region_name=self.spec.aws.region)

    @property
    def _authenticator(self) -> str:
        return (self._variable("AUTHENTICATOR") or (KEY_PAIR if self._variable("PRIVATE_KEY") else "SNOWFLAKE")).upper()

    @property
    def _url(self) -> str:
        host = self._variable("HOST") or snowflake_host(self.spec)
        port = self._variable("PORT")
        return f"{self._variable('PROTOCOL') or 'https'}://{host}{f':{port}' if port else ''}"

    def _variable(self, name: str) -> str:
        return self.environ.get(f"SNOWFLAKE_{name}", "")

    def _private_key(self) -> str:
        """The private key as unencrypted PEM, in memory."""
        pem, phrase = self._variable("PRIVATE_KEY"), self._variable("PRIVATE_KEY_PASSPHRASE")
        if not phrase:
            return pem
        from cryptography.hazmat.primitives import serialization as s

        from firnline_ingest.snowflake.errors import KeyUnusable

        try:
            key = s.load_pem_private_key(pem.encode(), password=phrase.encode())
        except (ValueError, TypeError) as error:
            place = "SNOWFLAKE_PRIVATE_KEY with SNOWFLAKE_PRIVATE_KEY_PASSPHRASE"
            raise KeyUnusable(place, str(error)) from None
        return key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption()).decode()

    def _connect(self, user: str, role: str, authenticator: str) -> "SnowflakeConnection":
        """Tokens, passwords and browsers, which only a person or a pipeline deploys with."""
        import snowflake.connector
        from snowflake.connector.errors import Error

        from firnline_ingest.snowflake.connection import session_parameters
        from firnline_ingest.snowflake.errors import LoginRefused

        os.environ.setdefault("SNOWFLAKE_DISABLE_PLATFORM_DETECTION", "true")
        given = {name.lower(): self._variable(name) for name in ("TOKEN", "PASSWORD", "WORKLOAD_IDENTITY_PROVIDER")}
        try:
            return snowflake.connector.connect(
                account=self.spec.snowflake.account,
                host=self._url.partition("://")[2].partition(":")[0],
                user=user,
                role=role,
                authenticator=authenticator,
                session_parameters=session_parameters(),
                **{name: value for name, value in given.items() if value},
            )
        except Error as error:
            raise LoginRefused(user, role, str(error)) from error
