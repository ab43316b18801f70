import io
import json
import logging

import pytest

from firnline_ingest.logs import JsonLines, redacted

PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQ\nabc\n-----END PRIVATE KEY-----"


def logged(message: str, **fields: object) -> dict[str, object]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.Logger("test")
    logger.addHandler(handler)
    logger.info(message, extra=fields)
    document: dict[str, object] = json.loads(stream.getvalue())
    return document


def test_a_line_is_one_json_object_with_its_fields() -> None:
    line = logged("shard.progress", shard="shardId-0", rows=5)
    assert (line["event"], line["shard"], line["rows"], line["level"]) == ("shard.progress", "shardId-0", 5, "info")


@pytest.mark.parametrize(
    "secret",
    [
        PEM,
        PEM.replace("\n", "\\n"),
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJBLlUuU0hBMjU2In0.c2lnbmF0dXJlc2lnbmF0dXJl",
        "AKIAIOSFODNN7EXAMPLE",
        "password=hunter2hunter2",
        '"aws_secret_access_key": "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"',
    ],
)
def test_what_looks_like_a_secret_is_redacted(secret: str) -> None:
    assert "[redacted]" in redacted(f"before {secret} after")
    for part in ("MIIEvQ", "eyJpc3Mi", "AKIAIOSF", "hunter2", "wJalrX"):
        assert part not in redacted(f"before {secret} after")


@pytest.mark.parametrize(
    "text", ["the offset token 49613519837405128", "shardId-000000000000", "SHA256:pCCXFSoYN2yUS4"]
)
def test_what_an_operator_needs_is_left(text: str) -> None:
    assert redacted(text) == text


def test_a_key_in_a_field_is_redacted() -> None:
    assert PEM not in json.dumps(logged("error", cause=PEM))
