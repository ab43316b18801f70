"""The real snowflake-connector-python, over TLS, against the embedded Snowflake's SQL service.

Runs with connector 5 and with connector 4, which find the certificate authority in different ways.
"""

import base64
import gzip
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
import snowflake.connector
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from snowflake.connector.errors import DatabaseError, ProgrammingError

from firnline_local.faults import Fault, FaultKind
from firnline_local.snowflake.catalog import Catalog
from firnline_local.snowflake.catalog.users import PublicKey
from firnline_local.snowflake.server import EmbeddedSnowflake

pytestmark = pytest.mark.contract
MAJOR = int(snowflake.connector.__version__.partition(".")[0])


def der(key: rsa.RSAPrivateKey) -> bytes:
    return key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())


def public_body(key: rsa.RSAPrivateKey) -> str:
    pem = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    return "".join(pem.splitlines()[1:-1])


@dataclass
class World:
    server: EmbeddedSnowflake
    key: rsa.RSAPrivateKey
    connections: list[Any]

    def connect(self, **changed: Any) -> Any:
        host, _, port = self.server.url.removeprefix("https://").partition(":")
        new = {
            "custom_root_store_path": str(self.server.ca_file),
            "enable_server_session_keep_alive_auto_detection": False,  # else it warns that this will be the default
        }
        settings = {
            "account": "firnline",
            "user": "FIRNLINE_ADMIN",
            "host": host,
            "port": int(port),
            "protocol": "https",
            "authenticator": "SNOWFLAKE_JWT",
            "private_key": der(self.key),
            "login_timeout": 10,
            **(new if MAJOR >= 5 else {}),
            **changed,
        }
        connection = snowflake.connector.connect(**settings)
        self.connections.append(connection)
        return connection

    def post(self, path: str, body: dict[str, Any], *, token: str = "None", packed: bool = False) -> dict[str, Any]:
        """A request as a driver makes it, byte by byte."""
        content = json.dumps(body).encode()
        request = urllib.request.Request(
            self.server.url + path,
            data=gzip.compress(content) if packed else content,
            headers={
                "Content-Type": "application/json",
                "Authorization": f'Snowflake Token="{token}"',
                **({"Content-Encoding": "gzip"} if packed else {}),
            },
        )
        context = ssl.create_default_context(cafile=str(self.server.ca_file))
        with urllib.request.urlopen(request, context=context, timeout=20) as answer:
            answered: dict[str, Any] = json.load(answer)
            return answered


@pytest.fixture(scope="module")
def server_and_key(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[EmbeddedSnowflake, rsa.RSAPrivateKey]]:
    key = rsa.generate_private_key(65537, 2048)
    catalog = Catalog("firnline", admin_public_key=public_body(key))
    with EmbeddedSnowflake(catalog, folder=tmp_path_factory.mktemp("snowflake")) as server:
        yield server, key
    catalog.close()


@pytest.fixture
def world(
    server_and_key: tuple[EmbeddedSnowflake, rsa.RSAPrivateKey], monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    server, key = server_and_key
    if MAJOR < 5:
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(server.ca_file))
    world = World(server, key, [])
    yield world
    server.faults.replace([])
    for connection in world.connections:
        connection.close()


@pytest.fixture
def cursor(world: World) -> Iterator[Any]:
    """In a new, empty database."""
    with closing(world.connect().cursor()) as cursor:
        cursor.execute("CREATE OR REPLACE DATABASE face")
        yield cursor


VALUES: dict[str, tuple[str, Any]] = {
    "NUMBER(38,0)": ("99999999999999999999999999999999999999", 99999999999999999999999999999999999999),
    "NUMBER(10,2)": ("-1.25", Decimal("-1.25")),
    "FLOAT": ("1.5", 1.5),
    "VARCHAR": (r"'it\'s \\ é \n'", "it's \\ é \n"),
    "BOOLEAN": ("TRUE", True),
    "BINARY": ("'00FF'", b"\x00\xff"),
    "DATE": ("'9999-12-31'", date(9999, 12, 31)),
    "TIME": ("'23:59:59.123456'", time(23, 59, 59, 123456)),
    "TIMESTAMP_NTZ": ("'1969-12-31 23:59:59.5'", datetime(1969, 12, 31, 23, 59, 59, 500000)),
    "TIMESTAMP_LTZ": ("'2026-01-01 12:00:00Z'", datetime(2026, 1, 1, 12, tzinfo=UTC)),
    "TIMESTAMP_TZ": ("'2026-01-01 12:00:00+02:00'", datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))),
}
"""By the type of their column: as SQL writes each, and as the connector gives it back."""


def run(cursor: Any, sql: str, *parameters: Any) -> list[Any]:
    cursor.execute(sql, *parameters)
    rows: list[Any] = cursor.fetchall()
    return rows


@pytest.mark.parametrize("kind", VALUES)
def test_a_value_and_a_null_come_back_as_they_were_written(cursor: Any, kind: str) -> None:
    written, value = VALUES[kind]
    run(cursor, f"CREATE TABLE t (id INT, c {kind})")
    run(cursor, f"INSERT INTO t (id, c) VALUES (1, {written}), (2, NULL)")

    assert run(cursor, "SELECT c FROM t ORDER BY id") == [(value,), (None,)]
    assert cursor.description[0][0] == "C"


def test_semistructured_values_are_json_text(cursor: Any) -> None:
    run(cursor, "CREATE TABLE t (v VARIANT, o OBJECT, a ARRAY)")
    run(
        cursor,
        """INSERT INTO t SELECT PARSE_JSON('{"a": [1, null]}'), OBJECT_CONSTRUCT('k', 'v'), ARRAY_CONSTRUCT(1, 2)""",
    )
    ((variant, member, element),) = run(cursor, "SELECT v, o, a FROM t")

    assert [json.loads(text) for text in (variant, member, element)] == [{"a": [1, None]}, {"k": "v"}, [1, 2]]
    assert run(cursor, "SELECT v:a[0]::INT, o:k::STRING FROM t") == [(1, "v")]


def test_the_client_formats_values_and_binds_none(world: World, cursor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(cursor, "SELECT %s, %s", ("it's", 5)) == [("it's", 5)]

    monkeypatch.setattr(snowflake.connector, "paramstyle", "qmark")
    with pytest.raises(ProgrammingError, match=r"FL-6040.*paramstyle pyformat"):
        run(world.connect().cursor(), "SELECT ?", (5,))


def test_dml_says_how_many_rows_it_changed(cursor: Any) -> None:
    run(cursor, "CREATE TABLE t (a INT)")
    for statement, rows in (
        ("INSERT INTO t VALUES (1), (2), (3)", 3),
        ("UPDATE t SET a = 5 WHERE a > 1", 2),
        ("DELETE FROM t WHERE a = 5", 2),
    ):
        cursor.execute(statement)
        assert cursor.rowcount == rows


def test_a_session_tells_where_it_is_and_may_move(world: World) -> None:
    connection = world.connect()
    cursor = connection.cursor()
    run(cursor, "CREATE OR REPLACE DATABASE face")
    run(cursor, "USE SCHEMA face.public")

    assert (connection.role, connection.warehouse) == ("ACCOUNTADMIN", "COMPUTE_WH")
    assert (connection.database, connection.schema) == ("FACE", "PUBLIC")
    later = world.connect(database="face", schema="public", warehouse="compute_wh", role="useradmin").cursor()
    assert run(later, "SELECT CURRENT_ROLE(), CURRENT_WAREHOUSE()") == [("USERADMIN", None)]  # it may not use that one


def test_an_error_has_snowflakes_number_state_and_text(cursor: Any) -> None:
    with pytest.raises(ProgrammingError) as caught:
        cursor.execute("SELECT * FROM nowhere")

    assert (caught.value.errno, caught.value.sqlstate) == (2003, "42S02")
    assert "Object 'FACE.PUBLIC.NOWHERE' does not exist or not authorized." in str(caught.value)
    with pytest.raises(ProgrammingError, match=r"FL-6040.*does not know: MERGE"):
        cursor.execute("MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE")
    assert run(cursor, "SELECT 1") == [(1,)]


def test_describing_a_query_does_not_run_it(cursor: Any) -> None:
    run(cursor, "CREATE TABLE t (a NUMBER(10, 2), b VARCHAR)")

    assert [column.name for column in cursor.describe("SELECT a, b AS c FROM t")] == ["A", "C"]
    assert run(cursor, "SELECT COUNT(*) FROM t") == [(0,)]


def test_listings_come_with_times_and_numbers(cursor: Any) -> None:
    run(cursor, "CREATE TABLE t (a INT)")
    run(cursor, "INSERT INTO t VALUES (1)")
    (row,) = run(cursor, "SHOW TABLES LIKE 't' IN SCHEMA face.public")
    shown = dict(zip([column[0] for column in cursor.description], row, strict=True))

    assert (shown["name"], shown["rows"]) == ("T", 1)
    assert abs(datetime.now(UTC) - shown["created_on"]) < timedelta(minutes=5)


def test_a_new_key_opens_a_session_and_a_removed_one_none(world: World, cursor: Any) -> None:
    new = rsa.generate_private_key(65537, 2048)
    run(cursor, "CREATE OR REPLACE ROLE reader")
    run(cursor, "DROP USER IF EXISTS svc")
    run(cursor, f"CREATE USER svc TYPE = SERVICE DEFAULT_ROLE = READER RSA_PUBLIC_KEY = '{public_body(world.key)}'")
    run(cursor, "GRANT ROLE reader TO USER svc")
    run(cursor, f"ALTER USER svc SET RSA_PUBLIC_KEY_2 = '{public_body(new)}'")
    for key in (world.key, new):
        assert run(world.connect(user="svc", private_key=der(key)).cursor(), "SELECT CURRENT_ROLE()") == [("READER",)]

    run(cursor, "ALTER USER svc UNSET RSA_PUBLIC_KEY")
    with pytest.raises(DatabaseError, match="JWT token is invalid") as caught:
        world.connect(user="svc")
    assert caught.value.errno == 390144


def test_a_role_that_was_not_granted_opens_no_session(world: World, cursor: Any) -> None:
    run(cursor, "DROP USER IF EXISTS svc")
    run(cursor, f"CREATE USER svc TYPE = SERVICE RSA_PUBLIC_KEY = '{public_body(world.key)}'")

    with pytest.raises(DatabaseError, match="Role 'SYSADMIN' specified in the connect string") as caught:
        world.connect(user="svc", role="SYSADMIN")
    assert caught.value.errno == 390189
    assert run(world.connect(user="svc").cursor(), "SELECT CURRENT_ROLE()") == [("PUBLIC",)]


def test_another_way_to_log_in_is_refused_by_name(world: World) -> None:
    with pytest.raises(DatabaseError, match=r"FL-6041.*SNOWFLAKE_JWT"):
        world.connect(authenticator="snowflake", password="secret", private_key=None)


def test_an_unavailable_service_is_tried_again(world: World, cursor: Any) -> None:
    run(cursor, "CREATE TABLE t (a INT)")
    world.server.faults.replace([Fault(endpoint="snowflake:sql", kind=FaultKind.ERROR, status=503, times=1)])

    assert run(cursor, "INSERT INTO t VALUES (1)") == [(1,)]
    assert run(cursor, "SELECT COUNT(*) FROM t") == [(1,)]


def test_a_statement_whose_answer_was_lost_is_done_once(world: World, cursor: Any) -> None:
    run(cursor, "CREATE TABLE t (a INT)")
    world.server.faults.replace([Fault(endpoint="snowflake:sql", kind=FaultKind.LOST, times=1)])

    assert run(cursor, "INSERT INTO t VALUES (1)") == [(1,)]
    assert world.server.faults.hits == {"snowflake:sql": 1}
    assert run(cursor, "SELECT COUNT(*) FROM t") == [(1,)]


def test_many_sessions_read_and_write_at_once(world: World, cursor: Any) -> None:
    run(cursor, "CREATE TABLE t (writer INT, n INT)")

    def write(writer: int) -> list[Any]:
        mine = world.connect(database="face", schema="public").cursor()
        for number in range(10):
            run(mine, f"INSERT INTO face.public.t VALUES ({writer}, {number})")
            run(mine, "SELECT COUNT(*), SUM(n) FROM face.public.t")
        return run(mine, f"SELECT COUNT(DISTINCT n) FROM face.public.t WHERE writer = {writer}")

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(write, range(4))) == [[(10,)]] * 4
    assert run(cursor, "SELECT COUNT(*) FROM t") == [(40,)]


# Byte by byte, where a driver would hide what happens


def login(world: World) -> dict[str, Any]:
    """The token of a driver's own session, made the way the driver makes it."""
    token = snowflake_jwt(world.key)
    data = {"AUTHENTICATOR": "SNOWFLAKE_JWT", "TOKEN": token, "SESSION_PARAMETERS": {"CLIENT_PREFETCH_THREADS": 2}}
    answer = world.post("/session/v1/login-request?roleName=SYSADMIN", {"data": data}, packed=True)
    assert answer["success"], answer
    session: dict[str, Any] = answer["data"]
    return session


def snowflake_jwt(key: rsa.RSAPrivateKey) -> str:
    now = int(datetime.now(UTC).timestamp())
    subject = "FIRNLINE.FIRNLINE_ADMIN"
    issuer = f"{subject}.{PublicKey.read(public_body(key)).fingerprint}"
    claims = {"iss": issuer, "sub": subject, "iat": now, "exp": now + 60}
    signed = f"{part(json.dumps({'alg': 'RS256'}).encode())}.{part(json.dumps(claims).encode())}"
    return f"{signed}.{part(key.sign(signed.encode(), PKCS1v15(), SHA256()))}"


def part(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def test_a_login_needs_no_user_name_beside_its_token_and_tells_all_that_drivers_read(world: World) -> None:
    session = login(world)

    assert session["sessionInfo"]["roleName"] == "SYSADMIN"
    assert {"token", "masterToken", "sessionId", "validityInSeconds", "masterValidityInSeconds"} <= session.keys()
    parameters = {each["name"]: each["value"] for each in session["parameters"]}
    assert parameters["CLIENT_PREFETCH_THREADS"] == 2
    assert parameters["AUTOCOMMIT"] is True


def test_a_token_is_renewed_and_a_closed_session_is_gone(world: World) -> None:
    session = login(world)
    renewed = world.post("/session/token-request", {"requestType": "RENEW"}, token=session["masterToken"])["data"]
    select = {"sqlText": "SELECT 1"}

    assert world.post("/queries/v1/query-request", select, token=session["token"])["code"] == "390111"
    assert world.post("/queries/v1/query-request", select, token=renewed["sessionToken"])["data"]["rowset"] == [["1"]]
    assert world.post("/session/heartbeat", {}, token=renewed["sessionToken"])["success"]
    assert world.post("/session?delete=true", {}, token=renewed["sessionToken"])["success"]
    assert world.post("/session/heartbeat", {}, token=renewed["sessionToken"])["code"] == "390111"


def test_a_request_that_comes_twice_is_done_once(world: World) -> None:
    token = login(world)["token"]
    path = "/queries/v1/query-request?requestId=00000000-0000-0000-0000-000000000001"
    first = world.post(path, {"sqlText": "CREATE DATABASE twice"}, token=token)

    assert first["success"]
    assert world.post(path, {"sqlText": "CREATE DATABASE twice"}, token=token) == first
    world.post("/queries/v1/query-request", {"sqlText": "DROP DATABASE twice"}, token=token)


def test_a_running_query_can_be_stopped(world: World) -> None:
    token = login(world)["token"]
    digits = "(VALUES " + ", ".join(f"({digit})" for digit in range(10)) + ")"
    endless = "SELECT COUNT(*) FROM " + ", ".join(f"{digits} d{place}" for place in range(15))

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(world.post, "/queries/v1/query-request", {"sqlText": endless}, token=token)
        while not running.done():  # it may not have begun yet
            world.post("/queries/v1/abort-request", {"requestId": "any"}, token=token)
    assert (running.result()["code"], running.result()["message"]) == ("000604", "SQL execution canceled")


def test_an_injected_fault_comes_in_snowflakes_envelope(world: World) -> None:
    token = login(world)["token"]
    fault = Fault(endpoint="snowflake:sql", kind=FaultKind.ERROR, status=200, code="390112", message="expired", times=1)
    world.server.faults.replace([fault])

    assert world.post("/session/heartbeat", {}, token=token) == {
        "data": None,
        "code": "390112",
        "message": "expired",
        "success": False,
    }
    world.server.faults.replace([Fault(endpoint="snowflake:sql", kind=FaultKind.CUT)])
    with pytest.raises((urllib.error.URLError, ConnectionError)):
        world.post("/session/heartbeat", {}, token=token)


def test_what_else_drivers_send_is_accepted(world: World) -> None:
    assert world.post("/telemetry/send", {"logs": []}, packed=True)["success"]
