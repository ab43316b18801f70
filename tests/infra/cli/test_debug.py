"""`--debug`: what is said of requests, and that nothing of it is a secret."""

import json
import sys
from pathlib import Path

import boto3
import pytest
from click.testing import CliRunner

from firnline_infra.cli.debug import HIDDEN, Trace, debugging, hidden, say
from firnline_infra.cli.main import firnline
from firnline_infra.pulumi_cli.run import run
from firnline_ingest.activity import waiting_for

PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nq83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ\n-----END PRIVATE KEY-----"
KEY = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ"
SECRETS = ("MIIEvQ", KEY, "AKIA1234567890ABCDEF", "eyJhbGciOi", "hunter22")


@pytest.mark.parametrize(
    "value",
    [
        {"SecretString": PEM, "SecretId": "a/b"},
        {"Credentials": {"SecretAccessKey": KEY, "SessionToken": KEY}},
        {"AccessKey": {"AccessKeyId": "AKIA1234567890ABCDEF", "SecretAccessKey": KEY}},
        {"Parameter": {"Type": "SecureString", "Value": KEY}},
        {"properties": {"a": {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": KEY}}},
        {"password": "hunter22", "nested": [{"private_key": KEY}, {"privateKey": KEY}]},
        {"said": f"the key is {PEM}"},
        {"header": 'Authorization: Snowflake Token="hunter22"'},
        {"jwt": "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl"},
        {"Plaintext": b"hunter22", "CiphertextBlob": b"hunter22"},
        {"Records": [{"Data": b"hunter22"}]},
    ],
    ids=str,
)
def test_no_secret_is_said(value: dict[str, object], capsys: pytest.CaptureFixture[str]) -> None:
    say(json.dumps(hidden(value), default=str))
    said = capsys.readouterr().err
    assert said.startswith("debug: ")
    assert not [secret for secret in SECRETS if secret in said]


def test_what_is_meant_is_said_where_it_is_no_secret() -> None:
    named = {"SecretId": "a/b", "KeyId": "k", "VersionStage": "AWSCURRENT", "SecretARN": "arn:x", "Name": "n", "n": 1}
    assert hidden(named) == named
    assert hidden({"NextToken": "x"}) == {"NextToken": HIDDEN}


def test_a_key_of_several_lines_in_a_trace_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "terraform.log"
    trace = Trace(file)
    assert list(trace.lines(is_last=False)) == []
    file.write_text(f'before\nkey = {PEM}\nbetween\n{{"token": "{KEY}", "n": 1}}\nhalf a li')
    first = list(trace.lines(is_last=False))
    assert first[0] == "before"
    assert first[2:] == ["between", json.dumps({"token": HIDDEN, "n": 1})]
    assert not [line for line in first if KEY in line or "MIIE" in line]
    with file.open("a") as opened:
        opened.write("ne\n-----BEGIN RSA PRIVATE KEY-----\n")
    assert list(trace.lines(is_last=False)) == ["half a line", "-----BEGIN RSA PRIVATE KEY-----"]
    with file.open("a") as opened:
        opened.write(f"{KEY}\n-----END RSA PRIVATE KEY-----\nafter")
    assert list(trace.lines(is_last=True)) == ["after"]


def test_each_request_is_said_with_its_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """Botocore's own events say it, of sessions that are made meanwhile and of no others."""
    from moto import mock_aws

    with mock_aws():
        with debugging():
            boto3.Session().client("dynamodb", region_name="us-east-1").list_tables(Limit=7)
            with waiting_for("a check"):
                pass
        said = capsys.readouterr().err
        boto3.Session().client("dynamodb", region_name="us-east-1").list_tables()
        assert capsys.readouterr().err == ""
    assert 'debug: aws dynamodb ListTables {"Limit": 7}' in said
    assert "debug: aws dynamodb ListTables -> 200, request " in said
    assert "debug: a check (0.0" in said


def test_what_a_tool_traces_is_said_without_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    program = (
        "import json, os, pathlib; pathlib.Path(os.environ['PULUMI_DEBUG_GRPC']).write_text("
        "json.dumps({'method': '/pulumirpc.ResourceProvider/Configure', 'request': {'privateKey': 'hunter22'}}) + chr(10));"
        "pathlib.Path(os.environ['TF_LOG_PATH']).write_text(os.environ['TF_LOG'] + ' aws-sdk password=hunter22')"
    )
    with debugging():
        run([sys.executable, "-c", program], variables={}, on_line=None, shown_as="pulumi preview")
    said = capsys.readouterr().err
    assert (
        f'debug: pulumi {{"method": "/pulumirpc.ResourceProvider/Configure", "request": {{"privateKey": "{HIDDEN}"}}}}'
        in said
    )
    assert "debug: terraform DEBUG aws-sdk [redacted]" in said
    assert "debug: pulumi preview (" in said
    assert "hunter22" not in said


@pytest.mark.parametrize("arguments", [["--debug", "explain", "FL-1002"], ["explain", "FL-1002", "--debug"]])
def test_it_may_stand_anywhere(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[bool] = []
    monkeypatch.setattr("firnline_infra.cli.debug._watch_boto", lambda _: begun.append(True))
    result = CliRunner().invoke(firnline, arguments)
    assert (result.exit_code, begun) == (0, [True])
    assert "FL-1002" in result.stdout


@pytest.mark.parametrize(
    "line",
    [
        'http.request.header.authorization="AWS4-HMAC-SHA256 Credential=x, Signature=hunter22"',
        "Authorization: Bearer hunter22",
        "Authorization: Basic hunter22==",
        "GET https://b.s3.amazonaws.com/k?X-Amz-Security-Token=hunter22&X-Amz-Signature=hunter22",
        "https://user:hunter22@registry.example.com/subjects",
        "Endpoint=https%3A%2F%2Fuser%3Ahunter22%40h.example.com%2Fx&Protocol=https",
        "PULUMI_CONFIG_PASSPHRASE=hunter22",
        json.dumps({"a": json.dumps({"b": json.dumps({"password": "hunter22"})})}),
        "body=password%3Dhunter22",
        "ALTER USER U SET PASSWORD = 'long, with hunter22'",
        "<SecretAccessKey>hunter22</SecretAccessKey><SessionToken>hunter22</SessionToken>",
    ],
)
def test_no_secret_is_said_however_it_is_written(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    say(line)
    said = capsys.readouterr().err
    assert "[redacted]" in said
    assert "hunter22" not in said
