"""The same service for clients of the REST API, and the control routes: what the SDK doesn't show."""

import gzip
import json
from typing import Any

import pytest
import urllib3
import zstandard

World = Any  # of conftest.py

pytestmark = pytest.mark.contract


class Rest:
    """A client of the documented REST API, with a scoped token."""

    def __init__(self, world: World) -> None:
        from firnline_local.snowflake.streaming.access import Identity

        token = world.snowflake.streaming.tokens.issue(Identity("ENGINE", world.role.name))
        self.url = world.snowflake.url
        self.pipe = f"databases/db/schemas/{world.schema.name}/pipes/orders-streaming"
        self.http = urllib3.PoolManager(ca_certs=str(world.snowflake.ca_file), retries=False)
        self.headers = {"Authorization": f"Bearer {token}"}

    def call(self, method: str, path: str, body: bytes = b"", **headers: str) -> urllib3.BaseHTTPResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.http.request(method, f"{self.url}{path}", body=body, headers=self.headers | named)

    def open(self, channel: str = "c") -> str:
        answer = self.call("PUT", f"/v2/streaming/{self.pipe}/channels/{channel}").json()
        return str(answer["next_continuation_token"])

    def append(self, token: str, body: bytes, query: str = "", **headers: str) -> urllib3.BaseHTTPResponse:
        path = f"/v2/streaming/data/{self.pipe}/channels/c/rows?continuationToken={token}&endOffsetToken=1{query}"
        return self.call("POST", path, body, **headers)

    def status(self) -> dict[str, Any]:
        answer = self.call(
            "POST", f"/v2/streaming/{self.pipe}:bulk-channel-status", b'{"channel_names":["c","d"]}'
        ).json()
        statuses = answer["channel_statuses"]
        assert isinstance(statuses, dict)
        return statuses


@pytest.fixture
def rest(world: World) -> Rest:
    return Rest(world)


def test_rows_may_come_plain_or_compressed(world: World, rest: Rest) -> None:
    table = world.table()
    token = rest.open()
    for body, headers in (
        (b'{"id":1}\n', {}),
        (gzip.compress(b'{"id":2}\r\n'), {"Content_Encoding": "gzip"}),
        (zstandard.compress(b'{"id":3}\n'), {"Content_Encoding": "zstd"}),
    ):
        answer = rest.append(token, body, **headers)
        assert answer.status == 200
        token = answer.json()["next_continuation_token"]

    world.wait_until(lambda: rest.status()["c"]["rows_inserted"] == 3)
    assert world.rows(table) == [(1,), (2,), (3,)]


def test_the_status_has_both_names_of_the_error_count_and_leaves_unknown_channels_out(world: World, rest: Rest) -> None:
    world.table()
    rest.append(rest.open(), b'{"id":"x"}\n')
    world.wait_until(lambda: rest.status()["c"]["rows_error_count"] == 1)

    statuses = rest.status()
    assert set(statuses) == {"c"}
    assert statuses["c"]["rows_errors"] == 1
    assert statuses["c"]["channel_status_code"] == "SUCCESS"


def test_a_payload_above_four_megabytes_is_too_large_and_one_below_is_not(world: World, rest: Rest) -> None:
    world.table()
    token = rest.open()
    assert rest.append(token, b" " * (4 << 20)).status == 200

    answer = rest.append(token, b" " * ((4 << 20) + 1))
    assert (answer.status, answer.json()["code"]) == (413, "ERR_PAYLOAD_TOO_LARGE")


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"not zstd", {"Content_Encoding": "zstd"}),
        (zstandard.compress(b'{"id":1}\n{"id":2}\n')[:-3], {"Content_Encoding": "zstd"}),
        (b"{}", {"Content_Encoding": "br"}),
    ],
)
def test_a_payload_that_cannot_be_decompressed_is_malformed(
    world: World, rest: Rest, body: bytes, headers: dict[str, str]
) -> None:
    world.table()
    answer = rest.append(rest.open(), body, **headers)

    assert (answer.status, answer.json()["code"]) == (400, "ERR_MALFORMED_REQUEST")


def test_a_used_token_changes_nothing_and_is_not_refused_whatever_comes_with_it(world: World, rest: Rest) -> None:
    """An account answers other rows under a used token with the newest one, and those rows are gone."""
    table = world.table()
    token = rest.open()
    first = rest.append(token, b'{"id":1}\n', "&requestId=one").json()
    again = rest.append(token, b'{"id":1}\n', "&requestId=one&retryCount=1").json()
    second = rest.append(first["next_continuation_token"], b'{"id":2}\n').json()
    other = rest.append(token, b'{"id":3}\n')

    assert first == again
    assert (other.status, other.json()["next_continuation_token"]) == (200, second["next_continuation_token"])
    rest.append(second["next_continuation_token"], b'{"id":3}\n')
    world.wait_until(lambda: rest.status()["c"]["rows_inserted"] == 3)
    assert world.rows(table) == [(1,), (2,), (3,)]


@pytest.mark.parametrize("is_told", [True, False])
def test_rows_under_a_token_from_before_another_opening_are_never_there(
    world: World, rest: Rest, is_told: bool
) -> None:
    table = world.table()
    world.snowflake.streaming.settings.acknowledges_fenced = not is_told
    fenced, token = rest.open(), rest.open()
    answer = rest.append(fenced, b'{"id":1}\n')

    assert answer.status == (400 if is_told else 200)
    assert not is_told or answer.json()["code"] == "STALE_CONTINUATION_TOKEN_SEQUENCER"
    rest.append(token, b'{"id":2}\n')
    world.wait_until(lambda: rest.status()["c"]["rows_inserted"] == 1)
    assert world.rows(table) == [(2,)]


def test_an_opening_that_moves_the_offset_token_back_keeps_the_counters(world: World, rest: Rest) -> None:
    table = world.table()
    rest.append(rest.open(), b'{"id":1}\n')
    world.wait_until(lambda: rest.status()["c"]["rows_inserted"] == 1)
    before = rest.status()["c"]
    opened = rest.call(
        "PUT", f"/v2/streaming/{rest.pipe}/channels/c", b'{"offset_token":"0"}', Content_Type="application/json"
    ).json()

    after = opened["channel_status"]
    assert (before["last_committed_offset_token"], after["last_committed_offset_token"]) == ("1", "0")
    for name in ("created_on_ms", "rows_inserted", "rows_parsed", "rows_error_count"):
        assert after[name] == before[name]
    rest.append(opened["next_continuation_token"], b'{"id":2}\n')
    world.wait_until(lambda: rest.status()["c"]["rows_inserted"] == 2)
    assert world.rows(table) == [(1,), (2,)]


def test_a_body_may_have_several_zstd_frames(world: World, rest: Rest) -> None:
    table = world.table()
    frames = zstandard.compress(b'{"id":1}\n') + zstandard.compress(b'{"id":2}\n{"id":3}\n')
    rest.append(rest.open(), frames, Content_Encoding="zstd")

    world.wait_until(lambda: rest.status()["c"]["rows_inserted"] == 3)
    assert world.rows(table) == [(1,), (2,), (3,)]


def test_the_request_limit_answers_429_when_it_is_on(world: World, rest: Rest) -> None:
    world.table()
    world.snowflake.streaming.settings.requests_per_second = 1
    token = rest.open()
    token = rest.append(token, b"{}\n").json()["next_continuation_token"]

    assert rest.append(token, b"{}\n").status == 429


@pytest.mark.parametrize("authorization", ["", "Bearer nonsense", "Basic abc"])
def test_without_a_scoped_token_nothing_is_told(world: World, rest: Rest, authorization: str) -> None:
    world.table()
    rest.headers = {"Authorization": authorization}

    answer = rest.call("PUT", f"/v2/streaming/{rest.pipe}/channels/c")
    assert (answer.status, answer.json()["code"]) == (401, "390144")
    assert rest.call("GET", "/v2/streaming/hostname").status == 401


def test_what_is_not_there_is_said_in_the_form_of_every_other_error(rest: Rest) -> None:
    answer = rest.call("POST", "/v2/streaming/databases/db/nothing")

    assert answer.status == 400
    assert set(answer.json()) == {"code", "message"}


def test_faults_are_set_and_counted_over_http(world: World, rest: Rest) -> None:
    world.table()
    plan = [{"endpoint": "snowflake:open", "kind": "ERROR", "status": 503, "code": "ERR_BUSY", "times": 1}]
    assert rest.call("POST", "/__firnline__/faults", json.dumps(plan).encode()).status == 200

    answer = rest.call("PUT", f"/v2/streaming/{rest.pipe}/channels/c")
    assert (answer.status, answer.json()["code"]) == (503, "ERR_BUSY")
    assert rest.call("GET", "/__firnline__/faults").json()[0]["hits"] == 1
    assert rest.call("POST", "/__firnline__/faults", b'[{"endpoint":"x","kind":"MAGIC"}]').status == 400


def test_a_cut_connection_has_no_answer_and_a_lost_one_has_an_effect(world: World, rest: Rest) -> None:
    table = world.table()
    token = rest.open()
    for kind in ("CUT", "LOST"):
        world.fail("append", kind, times=1)
        with pytest.raises(urllib3.exceptions.HTTPError):
            rest.append(token, b'{"id":1}\n', f"&requestId={kind}")

    world.wait_until(lambda: rest.status()["c"]["rows_inserted"] == 1)
    assert world.rows(table) == [(1,)]
