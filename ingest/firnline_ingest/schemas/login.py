"""Identity of the engine at a registry, by HTTP's basic authentication; never shown, and read again when it is refused."""

import base64
import json
import os
from collections.abc import Callable
from typing import Protocol

from firnline_ingest.config.registries import ConfluentRegistry, RegistryLogin
from firnline_ingest.errors import FirnlineError
from firnline_ingest.schemas.errors import LoginUnreadable

ReadSecret = Callable[[str], str | None]


class Login(Protocol):
    def headers(self) -> dict[str, str]:
        """Raises LoginUnreadable."""

    def forget(self) -> None:
        """The login was refused: the next one may be another."""


class BasicLogin:
    """The login of the registry's configuration; sends no headers if it names none."""

    def __init__(self, registry: ConfluentRegistry, read_secret: ReadSecret) -> None:
        self._registry, self._read_secret = registry, read_secret
        self._headers: dict[str, str] | None = None

    def headers(self) -> dict[str, str]:
        if self._headers is None:
            self._headers = self._read(self._registry.login) if self._registry.login else {}
        return self._headers

    def forget(self) -> None:
        self._headers = None

    def _read(self, login: RegistryLogin) -> dict[str, str]:
        pair = self._of_secret(login.secret_arn) if login.secret_arn else self._of_variables(login)
        return {"Authorization": "Basic " + base64.b64encode(":".join(pair).encode()).decode()}

    def _of_variables(self, login: RegistryLogin) -> tuple[str, str]:
        names = login.username_env or "", login.password_env or ""
        if missing := [name for name in names if not os.environ.get(name)]:
            raise LoginUnreadable(self._registry.url, f"the variable {missing[0]} is not set")
        return os.environ[names[0]], os.environ[names[1]]

    def _of_secret(self, arn: str) -> tuple[str, str]:
        try:
            found = json.loads(self._read_secret(arn) or "")
            username, password = found["username"], found["password"]
        except FirnlineError as error:
            raise LoginUnreadable(self._registry.url, error.what) from error
        except (ValueError, LookupError, TypeError):  # whose message may quote the secret
            raise LoginUnreadable(self._registry.url, f"{arn} holds no such JSON text") from None
        if not (isinstance(username, str) and isinstance(password, str)):
            raise LoginUnreadable(self._registry.url, f"{arn} holds a username or a password that is not text")
        return username, password
