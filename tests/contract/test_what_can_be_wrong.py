"""Each thing that can be missing or wrong, against the real servers: the message names it, with a stable id."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firnline_ingest.__main__ import main
from firnline_ingest.checks import Finding
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.snowflake import client_probe
from firnline_ingest.snowflake.sdk import SdkChannels
from firnline_ingest.validate import validate
from firnline_ingest.values import TargetTable
from firnline_local.faults import Fault, FaultKind
from firnline_local.keys import make_key_pair
from firnline_local.running import RunningEnvironment
from tests.fakes.confluent_registry import Registry, serving
from tests.fakes.kinesis import made_active
from tests.tiers import every_third

pytestmark = pytest.mark.contract
Problems = Callable[..., dict[str, Finding]]


@pytest.fixture
def problems(local_environment: RunningEnvironment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Problems:
    """Returns what `firnline validate` finds in a configuration with some sections changed, by the name of the check."""
    for name, value in local_environment.variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)

    def find(**changes: Any) -> dict[str, Finding]:
        document = local_environment.engine_config(dead_letters={"folder": str(tmp_path / "dead")})
        for section, values in changes.items():
            if section == "pipeline":
                document["pipelines"][0] |= values
            else:
                document[section] = {**document[section], **values}
        config = EngineConfig.model_validate_json(json.dumps(document))
        return {each.name: each for each in validate(config).differences}

    return find


def test_an_environment_that_was_just_made_has_no_problem(problems: Problems) -> None:
    assert problems() == {}


def test_looking_makes_neither_a_folder_nor_a_table(
    problems: Problems, local_environment: RunningEnvironment, tmp_path: Path
) -> None:
    folder = tmp_path / "var" / "dead"
    found = problems(dead_letters={"folder": str(folder)}, ledger={"table": "made-at-the-start", "create": True})
    assert found == {}
    assert not folder.parent.exists()
    assert "made-at-the-start" not in local_environment.client("dynamodb").list_tables()["TableNames"]


def test_a_folder_that_could_not_be_made_is_told(problems: Problems, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    error = problems(dead_letters={"folder": str(tmp_path / "file" / "dead")})["dead letters"]
    assert (error.error, f"{tmp_path / 'file'} is a file" in error.found) == ("FL-1103", True)


RECURSIVE = json.dumps({"type": "record", "name": "Node", "fields": [{"name": "next", "type": ["null", "Node"]}]})
NOBODY = "arn:aws:kinesis:us-east-1:123456789012:stream/orders/consumer/nobody:1700000000"


@pytest.mark.parametrize(
    ("changes", "check", "id_", "names"),
    [
        (
            {"pipeline": {"initial_position": {"at": "AT_TIMESTAMP", "timestamp": "2999-01-01T00:00:00Z"}}},
            "position of orders",
            "FL-2344",
            "2999-01-01",
        ),
        ({"pipeline": {"reader": {"fan_out": {"consumer_arn": NOBODY}}}}, "consumer of orders", "FL-2321", NOBODY),
        (
            {"pipeline": {"format": {"type": "avro", "framing": "none", "avro_schema": RECURSIVE}}},
            "format of orders",
            "FL-1001",
            "'Node' contains itself",
        ),
        (
            {
                "pipeline": {
                    "format": {"type": "avro", "framing": "confluent", "registry": {"url": "http://127.0.0.1:9"}}
                }
            },
            "registry of orders",
            "FL-4101",
            "http://127.0.0.1:9",
        ),
        ({"pipeline": {"stream": "nowhere"}}, "stream nowhere", "FL-2001", "'nowhere'"),
        (
            {"dead_letters": {"folder": None, "s3": "s3://nowhere-at-all/letters/"}},
            "dead letters",
            "FL-4013",
            "nowhere",
        ),
        ({"dead_letters": {"folder": None, "stream": "nowhere"}}, "dead letters", "FL-4013", "nowhere"),
        ({"spark": {"master": None}}, "dead letters", "FL-4011", "spark-submit decides where workers run"),
        ({"ledger": {"table": "no-such-ledger"}}, "ledger", "FL-2101", "no-such-ledger"),
        ({"pipeline": {"table": "NOPE"}}, "table of orders", "FL-3006", "NOPE"),
        ({"pipeline": {"schema": "NOPE"}}, "table of orders", "FL-3006", "NOPE"),
        ({"pipeline": {"pipe": "NOPE"}}, "table of orders", "FL-3007", "NOPE"),
        ({"snowflake": {"url": "https://127.0.0.1:9"}}, "snowflake", "FL-3010", "127.0.0.1:9"),
        ({"snowflake": {"url": "https://no-such-host.invalid"}}, "snowflake", "FL-3002", "no-such-host.invalid"),
        ({"snowflake": {"ca_file": None}}, "snowflake", "FL-3003", "127.0.0.1"),
        ({"snowflake": {"ca_file": "/nowhere.pem"}}, "snowflake", "FL-3018", "/nowhere.pem"),
        ({"snowflake": {"user": "NOBODY"}}, "snowflake", "FL-3004", "NOBODY"),
        ({"snowflake": {"role": "ACCOUNTADMIN"}}, "table of orders", "FL-3011", "ACCOUNTADMIN"),
        ({"snowflake": {"private_key": {"file": "/nowhere.p8"}}}, "snowflake", "FL-3131", "/nowhere.p8"),
        ({"snowflake": {"private_key": {"env": "NO_SUCH_VARIABLE"}}}, "snowflake", "FL-3131", "NO_SUCH_VARIABLE"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("FL-") else "",
)
def test_what_is_missing_is_named_with_the_next_step(
    problems: Problems, changes: dict[str, Any], check: str, id_: str, names: str
) -> None:
    found = problems(**changes)
    assert check in found, found
    assert found[check].error == id_
    assert names in found[check].found + found[check].next_step
    assert found[check].next_step


def test_a_registry_is_asked_for_a_schema_that_it_need_not_have(
    problems: Problems,
) -> None:
    registry = Registry()
    with serving(registry):
        avro = {"type": "avro", "framing": "confluent", "registry": {"url": registry.url}}
        assert problems(pipeline={"format": avro}) == {}
        assert registry.asked
        registry.login = ("engine", "secret")
        assert problems(pipeline={"format": avro})["registry of orders"].error == "FL-4103"
    glue = problems(pipeline={"format": {"type": "avro", "framing": "glue"}})
    assert set(glue) <= {"registry of orders"}


def test_a_table_that_would_drop_the_position_of_its_rows_is_found_before_the_first_one(
    problems: Problems, local_environment: RunningEnvironment
) -> None:
    role = local_environment.logins["ingest"].role
    for statement in (
        "CREATE OR REPLACE TABLE FIRNLINE.RAW.BY_HAND (A NUMBER)",
        f"GRANT INSERT ON TABLE FIRNLINE.RAW.BY_HAND TO ROLE {role}",
    ):
        local_environment.query(statement, login="admin")
    error = problems(pipeline={"table": "BY_HAND"})["table of orders"]
    assert (error.error, "KINESISMETADATA" in error.found) == ("FL-3304", True)
    assert problems(pipeline={"table": "BY_HAND", "audit": False}) == {}
    local_environment.query("ALTER TABLE FIRNLINE.RAW.BY_HAND ADD COLUMN KinesisMetadata OBJECT", login="admin")
    assert problems(pipeline={"table": "BY_HAND"}) == {}


def test_what_could_not_be_checked_is_not_called_good(
    problems: Problems, local_environment: RunningEnvironment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not what waits for the ledger, nor the tables of a Snowflake that takes no login."""
    document = local_environment.engine_config(ledger={"table": "no-such-ledger"})
    document["snowflake"] |= {"user": "NOBODY"}
    file = tmp_path / "engine.json"
    file.write_text(json.dumps(document))
    assert main(["validate", "--config", str(file), "-o", "json"]) == 3
    found = {each["object"]: each for each in json.loads(capsys.readouterr().out)["findings"]}
    assert (found["ledger"]["verdict"], found["ledger"]["error"]) == ("wrong", "FL-2101")
    unseen = {name: each["result"] for name, each in found.items() if each["verdict"] == "unknown"}
    because = {"losses of orders": "ledger", "table of orders": "snowflake"}
    assert unseen == {
        name: f"not known, because {found[cause]['error']}: {found[cause]['result']}" for name, cause in because.items()
    }
    assert [found[name]["next_step"] for name in because] == [found[cause]["next_step"] for cause in because.values()]
    assert all(each["next_step"] for each in found.values() if each["verdict"] != "good")

    assert main(["validate", "--config", str(file)]) == 3
    said = capsys.readouterr().out
    assert "WRONG    ledger: ledger\n         [FL-2101] " in said
    assert "UNKNOWN  streams: losses of orders" in said


def test_what_could_only_be_checked_elsewhere_is_an_exit_status_of_its_own(
    problems: Problems, local_environment: RunningEnvironment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A checkpoint in a folder, where another machine than this one runs Spark's driver."""
    document = local_environment.engine_config(
        spark={"master": "spark://driver:7077", "checkpoint": "/data/checkpoint"}
    )
    document["dead_letters"] = {"stream": "letters"}
    made_active(local_environment.client("kinesis"), "letters")
    file = tmp_path / "engine.json"
    file.write_text(json.dumps(document))
    assert main(["validate", "--config", str(file)]) == 2
    assert "UNKNOWN  machine: checkpoint" in capsys.readouterr().out


def test_a_key_that_is_not_registered_is_told_by_its_fingerprint(problems: Problems, tmp_path: Path) -> None:
    stranger = make_key_pair(tmp_path, "stranger")
    error = problems(snowflake={"private_key": {"file": str(stranger.private_key_file)}})["snowflake"]
    assert error.error == "FL-3004"
    assert "SHA256:" in error.found + error.next_step
    assert "PRIVATE KEY" not in str(error)


def test_the_engine_s_own_client_is_opened_and_no_channel(
    problems: Problems, local_environment: RunningEnvironment
) -> None:
    """The SDK may still be refused what the connector takes: its requests go another way."""
    assert problems() == {}
    fault = Fault(
        endpoint="snowflake:pipe-info",
        kind=FaultKind.ERROR,
        status=404,
        code="ERR_PIPE_DOES_NOT_EXIST_OR_NOT_AUTHORIZED",
    )
    local_environment.set_faults([fault])
    try:
        (error,) = problems().values()
    finally:
        local_environment.set_faults([])
    assert (error.name, error.error) == ("client of FIRNLINE_LOCAL_INGEST", "FL-3005")


@pytest.mark.parametrize(("status", "id_"), every_third([(403, "FL-3005"), (401, "FL-3004"), (503, "FL-3010")]))
def test_what_the_sdk_asks_again_for_ever_is_said_with_the_services_words(
    problems: Problems, local_environment: RunningEnvironment, monkeypatch: pytest.MonkeyPatch, status: int, id_: str
) -> None:
    """The SDK would not come back by itself: the probe reads in its log what was answered."""
    monkeypatch.setattr(client_probe, "PATIENCE_S", 15.0)
    words = "The role may not do this"
    fault = Fault(endpoint="snowflake:pipe-info", kind=FaultKind.ERROR, status=status, code="ERR_NO", message=words)
    local_environment.set_faults([fault])
    try:
        (error,) = problems().values()
    finally:
        local_environment.set_faults([])
    assert (error.name, error.error) == ("client of FIRNLINE_LOCAL_INGEST", id_)
    assert words in error.found


def test_a_grant_that_is_missing_is_found_before_the_first_row(
    local_environment: RunningEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(local_environment.endpoints.ca_file))
    role = local_environment.logins["ingest"].role
    for statement in (
        "CREATE TABLE FIRNLINE.RAW.UNGRANTED (KINESISMETADATA OBJECT)",
        f"GRANT EVOLVE SCHEMA ON TABLE FIRNLINE.RAW.UNGRANTED TO ROLE {role}",
    ):
        local_environment.query(statement, login="admin")
    config = EngineConfig.model_validate_json(json.dumps(local_environment.engine_config()))
    channels = SdkChannels(config, missing_patience_s=0)
    target = TargetTable("FIRNLINE", "RAW", "UNGRANTED", "", "UNGRANTED-STREAMING")
    with pytest.raises(FirnlineError) as raised:
        channels.open(target, "channel")
    assert raised.value.id == "FL-3005"
    assert "FIRNLINE.RAW.UNGRANTED" in str(raised.value)
    assert not raised.value.is_retryable
