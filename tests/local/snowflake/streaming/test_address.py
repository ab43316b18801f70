"""Reading the paths of the streaming API."""

import pytest

from firnline_local.snowflake.streaming.access import Operation, read_address

PIPE = "/v2/streaming/databases/DB/schemas/PUBLIC/pipes/ORDERS-STREAMING"
DATA = PIPE.replace("/streaming/", "/streaming/data/")


@pytest.mark.parametrize(
    ("method", "path", "operation"),
    [
        ("PUT", f"{PIPE}/channels/c", Operation.OPEN),
        ("DELETE", f"{PIPE}/channels/c", Operation.DROP),
        ("POST", f"{DATA}/channels/c/rows", Operation.APPEND),
        ("POST", f"{DATA}/channels/c/filebuffer", Operation.FILE_FRAGMENTS),
        ("POST", f"{DATA}/channels/ELASTIC/rows", Operation.ELASTIC_APPEND),
        ("POST", DATA.replace("/pipes/", "/tables/") + "/rows", Operation.ELASTIC_APPEND),
        ("POST", f"{PIPE}:bulk-channel-status", Operation.STATUS),
        ("POST", f"{PIPE}:pipe-info", Operation.PIPE_INFO),
    ],
)
def test_method_and_path_name_the_operation(method: str, path: str, operation: Operation) -> None:
    address = read_address(method, path)

    assert address is not None
    assert address.operation is operation


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", f"{PIPE}/channels/c"),
        ("PUT", f"{DATA}/channels/c"),
        ("POST", f"{PIPE}/channels/c/rows"),
        ("POST", f"{PIPE}:other"),
        ("PUT", f"{PIPE}/channels/a/b"),
    ],
)
def test_what_the_api_does_not_have_is_no_address(method: str, path: str) -> None:
    assert read_address(method, path) is None


def test_names_are_decoded_one_by_one_and_keep_their_spelling() -> None:
    path = "/v2/streaming/databases/db/schemas/%22My%20Schema%22/pipes/%22a%2Fb-STREAMING%22/channels/s~%C3%BC%2F1"
    address = read_address("PUT", path)

    assert address is not None
    assert (address.database, address.schema) == ("db", '"My Schema"')
    assert (address.target, address.channel) == ('"a/b-STREAMING"', "s~ü/1")
