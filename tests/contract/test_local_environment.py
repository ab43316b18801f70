"""The embedded environment as its users meet it: through real clients, over real sockets."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from firnline_infra.cli.audit import audit
from firnline_infra.specification import load_spec
from firnline_infra.specification.names import Names
from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.snowflake.errors import KeyRefused
from firnline_local.cli.env import env
from firnline_local.cli.place import PLACE
from firnline_local.endpoints import control
from firnline_local.environment import LocalEnvironment
from firnline_local.errors import ControlRefused, ProcessEnded, StatementRefused
from firnline_local.faults import Fault, FaultKind
from firnline_local.provisioning import bootstrap
from firnline_local.running import RunningEnvironment
from tests.fakes.kinesis import made_active

LOCAL_SPEC = Path(__file__).parents[2] / "stacks" / "environments" / "local.yaml"
pytestmark = pytest.mark.contract


@pytest.fixture
def environment(local_environment: RunningEnvironment) -> Iterator[RunningEnvironment]:
    yield local_environment
    local_environment.set_faults([])


def test_another_process_would_find_it(environment: RunningEnvironment) -> None:
    assert RunningEnvironment.attach(environment.folder.path).endpoints == environment.endpoints


def test_a_second_environment_needs_no_bootstrap_either(environment: RunningEnvironment, tmp_path: Path) -> None:
    """The embedded one was started with another specification, whose deploy role is there."""
    path = tmp_path / "second.yaml"
    path.write_text(LOCAL_SPEC.read_text().replace("name: local", "name: second", 1))
    spec = load_spec(path)
    accounts = PLACE.accounts(spec, {"local": True, "folder": environment.folder.path})
    for _ in range(2):
        with closing(accounts.snowflake()) as session, closing(session.cursor()) as cursor:
            (role,) = cursor.execute("SELECT CURRENT_ROLE()").fetchone()  # type: ignore[union-attr, misc]
            assert role == Names.of(spec).deploy_role.name


def test_its_variables_lead_an_audit_to_its_reader(environment: RunningEnvironment) -> None:
    shown = CliRunner().invoke(env, ["--folder", str(environment.folder.path)]).output
    given = dict(line.removeprefix("export ").split("=", 1) for line in shown.splitlines())
    assert given["FIRNLINE_READER_USER"] == environment.logins["reader"].user
    assert {
        option.envvar for option in audit.params if option.required and option.name != "config_file"
    } <= given.keys()


def test_no_secret_is_in_its_state_and_no_key_is_readable_by_others(environment: RunningEnvironment) -> None:
    shown = (
        environment.folder.state.read_text()
        + json.dumps(environment.as_document(), default=str)
        + environment.as_table()
    )
    for login in environment.logins.values():
        body = login.private_key_file.read_text().splitlines()[1]
        assert body not in shown
        assert login.private_key_file.stat().st_mode & 0o777 == 0o600


def test_the_table_names_everything_that_a_client_needs(environment: RunningEnvironment) -> None:
    table = environment.as_table()
    endpoints = environment.endpoints
    for text in (endpoints.kinesis, endpoints.aws, endpoints.snowflake, str(endpoints.ca_file), "SSL_CERT_FILE"):
        assert text in table
    assert "orders -> FIRNLINE.RAW.ORDERS" in table


def test_each_login_has_its_role(environment: RunningEnvironment) -> None:
    for name, login in environment.logins.items():
        _, rows = environment.query("SELECT CURRENT_USER(), CURRENT_ROLE()", login=name)
        assert rows == [(login.user, login.role)]


def test_the_reader_may_look_and_not_touch(environment: RunningEnvironment) -> None:
    columns, rows = environment.query("SELECT * FROM FIRNLINE.RAW.ORDERS")
    assert (columns, rows) == (["KINESISMETADATA"], [])
    with pytest.raises(StatementRefused, match="FIRNLINE_LOCAL_READER could not run: DELETE"):
        environment.query("DELETE FROM FIRNLINE.RAW.ORDERS")


def test_the_ingest_user_may_not_even_look(environment: RunningEnvironment) -> None:
    with pytest.raises(StatementRefused, match="FIRNLINE_LOCAL_INGEST"):
        environment.query("SELECT * FROM FIRNLINE.RAW.ORDERS", login="ingest")


def test_a_key_opens_its_own_user_only(environment: RunningEnvironment) -> None:
    logins = environment.logins
    swapped = replace(logins["reader"], private_key_file=logins["ingest"].private_key_file)
    state = environment.state.model_copy(update={"logins": {"reader": swapped}})
    with pytest.raises(KeyRefused):
        RunningEnvironment(environment.folder.path, state).query("SELECT 1")


def test_the_engine_reads_its_configuration_and_finds_its_table(environment: RunningEnvironment) -> None:
    from firnline_ingest.snowflake.target import TargetCatalog

    config = parse(EngineConfig, environment.engine_config(epoch={"seconds": 20}), "engine.json")
    assert config.epoch.seconds == 20
    assert config.snowflake.ca_file == environment.endpoints.ca_file
    with closing(TargetCatalog(config)) as catalog:
        state = catalog.state_of(config.pipelines[0])
    assert (state.evolves, state.logs_errors) == (True, True)


def test_the_configuration_is_also_a_file(environment: RunningEnvironment) -> None:
    from firnline_ingest.config.load import load_config

    expected = parse(EngineConfig, environment.engine_config(), "engine.json")
    assert load_config(environment.folder.engine_config) == expected


def test_events_go_in_as_bytes_or_as_json(environment: RunningEnvironment) -> None:
    kinesis = environment.client("kinesis")
    made_active(kinesis, "events")
    report = environment.put_events("events", [b"no json", {"id": 1}])
    assert report.records == 2

    shard = kinesis.list_shards(StreamName="events")["Shards"][0]["ShardId"]
    iterator = kinesis.get_shard_iterator(StreamName="events", ShardId=shard, ShardIteratorType="TRIM_HORIZON")
    records = kinesis.get_records(ShardIterator=iterator["ShardIterator"])["Records"]
    assert [record["Data"] for record in records] == [b"no json", b'{"id": 1}']


def test_aws_knows_the_account_of_the_specification(environment: RunningEnvironment) -> None:
    assert environment.client("sts").get_caller_identity()["Account"] == "000000000000"


def test_a_fault_goes_to_its_server_and_counts_there(environment: RunningEnvironment) -> None:
    dynamodb = environment.client("dynamodb")
    environment.set_faults([Fault(endpoint="dynamodb:DescribeLimits", kind=FaultKind.ERROR, status=400, code="Nope")])
    with pytest.raises(dynamodb.exceptions.ClientError, match="Nope"):
        dynamodb.describe_limits()
    (fault,) = environment.faults()
    assert (fault["server"], fault["endpoint"], fault["hits"]) == ("aws", "dynamodb:DescribeLimits", 1)


def test_faults_are_added_to_those_there_are_and_replaced_together(environment: RunningEnvironment) -> None:
    environment.add_fault(endpoint="kinesis:GetRecords", kind="ERROR", every=1000)
    environment.add_fault(endpoint="snowflake:append", kind="SLOW", delay_s=1.0)
    environment.add_fault(endpoint="*:Nothing", kind="CUT")
    assert [(fault["server"], fault["endpoint"]) for fault in environment.faults()] == [
        ("kinesis", "kinesis:GetRecords"),
        ("kinesis", "*:Nothing"),
        ("aws", "*:Nothing"),
        ("runtimes", "*:Nothing"),
        ("snowflake", "snowflake:append"),
        ("snowflake", "*:Nothing"),
    ]
    environment.set_faults([])
    assert environment.faults() == []


@pytest.mark.parametrize("server", ["kinesis", "aws", "runtimes", "snowflake"])
def test_a_server_says_why_it_refuses_a_control_request(environment: RunningEnvironment, server: str) -> None:
    with pytest.raises(ControlRefused, match="endpoint"):
        control(environment.endpoints, server, "faults", [{"kind": "ERROR"}])


def test_a_server_that_is_gone_is_named(environment: RunningEnvironment) -> None:
    gone = replace(environment.endpoints, kinesis="http://127.0.0.1:9")
    with pytest.raises(ControlRefused, match=r"127\.0\.0\.1:9/__firnline__/faults refused: .*refused"):
        control(gone, "kinesis", "faults")


def test_the_certificate_authority_is_where_it_says(environment: RunningEnvironment) -> None:
    assert Path(environment.endpoints.ca_file).read_text().startswith("-----BEGIN CERTIFICATE-----")


def test_a_server_that_dies_is_noticed_and_the_others_end_with_the_environment(tmp_path: Path) -> None:
    supervisor = LocalEnvironment(tmp_path / "environment", load_spec(LOCAL_SPEC))
    with supervisor as environment:
        supervisor.check()
        pids = supervisor.pids
        os.kill(pids["kinesis"], signal.SIGKILL)
        with pytest.raises(ProcessEnded, match=r"The kinesis process .* status -9"):
            poll(supervisor.check)
    assert not environment.folder.is_held()
    for pid in pids.values():
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def poll(check: Callable[[], None]) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        check()
        time.sleep(0.01)


def test_what_a_specification_takes_for_granted_is_there(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(
        LOCAL_SPEC.read_text().replace("COMPUTE_WH #", "REPORTING\n  reader: {granted_to: [ANALYST, SYSADMIN]} #")
    )
    with LocalEnvironment(tmp_path / "environment", load_spec(path)) as environment:
        reader = environment.logins["reader"].role
        _, rows = environment.query("SELECT CURRENT_WAREHOUSE()")
        assert rows == [("REPORTING",)]
        columns, rows = environment.query(f"SHOW GRANTS OF ROLE {reader}", login="admin")
        assert {"ANALYST", "SYSADMIN"} <= {row[columns.index("grantee_name")] for row in rows}


def test_a_first_statement_that_is_refused_is_named(
    environment: RunningEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firnline_local.provisioning.prerequisites", lambda _: iter(["GRANT ROLE NOBODY TO ROLE X"]))
    with pytest.raises(StatementRefused, match="ACCOUNTADMIN could not run: GRANT ROLE NOBODY") as caught:
        bootstrap(environment, load_spec(LOCAL_SPEC))
    assert "correct what the specification names" in caught.value.next_step


def test_events_are_put_by_one_client_for_as_long_as_the_endpoints_are_the_same(
    local_environment: RunningEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_active(local_environment.client("kinesis"), "put-twice", shards=1)
    environment, made = RunningEnvironment.attach(local_environment.folder.path), list[str]()

    def client(service: str) -> object:
        made.append(service)
        return local_environment.client(service)

    monkeypatch.setattr(environment, "client", client)
    for _ in range(2):
        assert environment.put_events("put-twice", [b"{}"]).records == 1
    assert made == ["kinesis"]
    environment.state = environment.state.model_copy(update={"endpoints": replace(environment.endpoints)})
    environment.put_events("put-twice", [b"{}"])
    assert made == ["kinesis", "kinesis"]
