"""Snowflake's own package `snowflake-ingest`, of the extra `files`: loaded here, and here alone.

It is the package as it is published. Version 1.0.13 lacks two things. It imports a function that connector 5 no longer has, and
its `__init__` may be another package's (snowflake/packages.py): its modules are imported by themselves. And it waits for an
answer without end, and trusts certificates by an environment variable alone: its requests are made with a time limit and with
the authorities of the configuration.
"""

from pathlib import Path
from typing import Any

from firnline_ingest.files.errors import FilesExtraMissing
from firnline_ingest.snowflake.key import SigningKey
from firnline_ingest.snowflake.packages import put_back_parse_account

REQUEST_TIMEOUT_S = 60
EXTRA = "firnline-ingest[files]"


def ingest_manager(
    *, account: str, user: str, host: str, port: int, pipe: str, key: SigningKey, ca_file: Path | None
) -> Any:
    """A SimpleIngestManager. `pipe` is fully qualified, as the REST path names it. Raises FilesExtraMissing."""
    load_package()
    from snowflake.ingest.simple_ingest_manager import SimpleIngestManager

    manager = SimpleIngestManager(account=account, user=user, pipe=pipe, private_key=key.pem, host=host, port=port)
    manager.restful = _bounded(ca_file)
    return manager


def load_package() -> None:
    """Raises FilesExtraMissing."""
    put_back_parse_account()
    try:
        import snowflake.ingest.simple_ingest_manager  # noqa: F401 - whether it is there
    except ModuleNotFoundError as error:
        raise FilesExtraMissing(EXTRA, str(error)) from error


def _bounded(ca_file: Path | None) -> Any:
    import requests
    from snowflake.ingest.utils.network import SnowflakeRestful

    class Bounded(SnowflakeRestful):  # type: ignore[misc] # the package has no types
        """The package's own retries, each with an end."""

        def _exec_request(self, url: str, method: str, headers: Any = None, json: Any = None) -> Any:
            verify = str(ca_file) if ca_file else None
            return requests.request(method, url, headers=headers, json=json, timeout=REQUEST_TIMEOUT_S, verify=verify)

    return Bounded()
