"""An embedded Snowflake with a table, a stage and a pipe from it, and a session of its administrator."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from firnline_ingest.dead_letters.file_pipe import ingest_manager
from firnline_ingest.snowflake.connection import connect, rows_of
from firnline_ingest.snowflake.key import SigningKey
from firnline_local.snowflake.catalog import Catalog
from firnline_local.snowflake.files import FileSettings
from firnline_local.snowflake.server import EmbeddedSnowflake

PIPE = """CREATE OR REPLACE PIPE FILES.PUBLIC.LETTERS AS COPY INTO FILES.PUBLIC.ORDERS FROM @FILES.PUBLIC.LETTERS
FILE_FORMAT = (TYPE = JSON BINARY_FORMAT = BASE64) MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE ON_ERROR = SKIP_FILE"""


@dataclass
class World:
    server: EmbeddedSnowflake
    key: SigningKey
    public_key: str
    session: Any
    """Of FIRNLINE_ADMIN."""

    def rows(self, sql: str) -> list[dict[str, Any]]:
        return rows_of(self.session, sql)

    def count(self) -> int:
        return int(self.rows("SELECT COUNT(*) AS N FROM FILES.PUBLIC.ORDERS")[0]["n"])

    def manager(self, user: str = "FIRNLINE_ADMIN", pipe: str = "FILES.PUBLIC.LETTERS") -> Any:
        host, _, port = self.server.url.removeprefix("https://").partition(":")
        where = {"account": "firnline", "host": host, "port": int(port), "ca_file": self.server.ca_file}
        return ingest_manager(user=user, pipe=pipe, key=self.key, **where)

    def make_pipe(self) -> None:
        """Anew: it has loaded nothing."""
        self.rows(PIPE)

    def loader(self, granted: Sequence[str]) -> None:
        """A user LOADER with the engine's key, in a role LOADER that has these rights and no other."""
        body = "".join(self.public_key.splitlines()[1:-1])
        self.rows("CREATE OR REPLACE ROLE LOADER")
        self.rows(f"CREATE OR REPLACE USER LOADER DEFAULT_ROLE = LOADER TYPE = SERVICE RSA_PUBLIC_KEY = '{body}'")
        self.rows("GRANT ROLE LOADER TO USER LOADER")
        self.rows("USE SCHEMA FILES.PUBLIC")
        for right in granted:
            self.rows(f"GRANT {right} TO ROLE LOADER")

    def put(self, path: Path, folder: str) -> list[dict[str, Any]]:
        return self.rows(f"PUT 'file://{path}' @FILES.PUBLIC.LETTERS/{folder} OVERWRITE = TRUE")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    private = rsa.generate_private_key(65537, 2048)
    pem = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    text = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    key = SigningKey(text, "a test")
    catalog = Catalog("firnline", admin_public_key=pem)
    with EmbeddedSnowflake(catalog, folder=tmp_path_factory.mktemp("files")) as server:
        server.files.settings.load_lag_ms = 0
        session = connect(
            account="firnline",
            user="FIRNLINE_ADMIN",
            role="ACCOUNTADMIN",
            url=server.url,
            key=key,
            ca_file=server.ca_file,
        )
        yield World(server, key, pem, session)
        session.close()
    catalog.close()


@pytest.fixture
def world(served: World) -> Iterator[World]:
    """With an empty table, an empty stage, and a pipe that has loaded nothing."""
    for statement in (
        "CREATE DATABASE IF NOT EXISTS FILES",
        "USE WAREHOUSE COMPUTE_WH",
        "CREATE OR REPLACE TABLE FILES.PUBLIC.ORDERS (KINESISMETADATA OBJECT, ID NUMBER, BODY VARIANT)",
        "CREATE OR REPLACE STAGE FILES.PUBLIC.LETTERS",
    ):
        served.rows(statement)
    served.make_pipe()
    yield served
    served.server.faults.replace([])
    served.server.files.settings = FileSettings(load_lag_ms=0)
