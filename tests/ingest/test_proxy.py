"""Tests of what the environment says of a proxy, when, and of what is never in it or in a message."""

import os
from pathlib import Path
from typing import Any
from urllib.request import proxy_bypass

import pytest
from botocore.exceptions import ProxyConnectionError

from firnline_ingest import proxy as proxies
from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config.proxy import NEVER, ProxyOptions, proxy_variables
from firnline_ingest.environment_proxy import login_of, proxy_for, without_login
from firnline_ingest.errors import ConfigError, FirnlineError
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.permissions.features import features_of
from firnline_ingest.permissions.permission import Feature
from firnline_ingest.proxy import ProxyLoginMissing, use_proxy
from firnline_ingest.spark import task
from firnline_ingest.spark.machine import check_proxy
from firnline_ingest.spark.spark_session import settings_of
from firnline_ingest.validate import validate
from tests.fakes.configs import DOCUMENT, config
from tests.fakes.connect_proxy import ConnectProxy

URL = "http://proxy.example.com:3128"
PAIR = {"username_env": "PX_USER", "password_env": "PX_WORD"}
SECRET = {"secret_arn": "arn:aws:secretsmanager:us-east-1:111122223333:secret:proxy-a1b2c3"}
S3A = "spark.hadoop.fs.s3a.proxy."


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has none at first, and leaves none."""
    for name in (*proxies.VARIABLES, *proxies.ALSO_READ):
        for spelt in (name, name.lower()):
            monkeypatch.setenv(spelt, "")  # so that it is put back whatever the test does
            monkeypatch.delenv(spelt)
    monkeypatch.setattr(proxies, "_used", None)
    monkeypatch.setattr(proxies, "_before", None)


def through(url: str = URL, **more: Any) -> Any:
    return config(proxy={"url": url, **more})


def variables_now() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}


def test_one_process_that_runs_two_configurations_has_the_later_ones_proxy_and_then_its_own_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("https_proxy", "http://theirs:1")
    monkeypatch.setenv("ALL_PROXY", "http://theirs:2")
    before = variables_now()
    use_proxy(through())
    assert proxy_for("https://kinesis.us-east-1.amazonaws.com") == URL
    assert "ALL_PROXY" not in os.environ, "the SDK would ask it"
    use_proxy(through("http://other.example.com:80", no_proxy=["amazonaws.com"]))
    assert proxy_for("https://kinesis.us-east-1.amazonaws.com") is None
    assert proxy_for("https://acme.snowflakecomputing.com") == "http://other.example.com:80"
    use_proxy(config())
    assert variables_now() == before


def test_this_machine_and_who_gives_it_credentials_are_never_asked_through_a_proxy() -> None:
    use_proxy(through(no_proxy=["vpce.amazonaws.com", ".example.org"]))
    private = ("vpce-1.kinesis.vpce.amazonaws.com", "registry.example.org", "example.org")
    for host in (*NEVER, "kubernetes.default.svc", "kubernetes.default.svc.cluster.local", *private):
        assert proxy_bypass(host), host
    assert not proxy_bypass("badexample.org")


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"url": "http://me:word@proxy:3128"}, "proxy.login"),
        ({"url": "proxy:3128"}, "http://"),
        ({"url": "https://proxy:3128"}, "http://"),
        ({"url": "http://proxy"}, "a port"),
        ({"url": "http://proxy:0"}, "65,535"),
        ({"url": "http://proxy:70000"}, "65,535"),
        ({"url": URL, "no_proxy": ["*"]}, "no_proxy"),
        ({"url": URL, "no_proxy": ["10.0.0.0/8"]}, "range"),
        ({"url": URL, "no_proxy": ["a.example.com:443"]}, "without a port"),
        ({"url": URL, "no_proxy": ["a.example.com,b.example.com"]}, "no_proxy"),
        ({"url": URL, "login": {"username_env": "U"}}, "username_env and password_env"),
    ],
)
def test_what_a_client_would_read_in_another_way_is_refused(section: dict[str, Any], words: str) -> None:
    from firnline_ingest.config.document import parse
    from firnline_ingest.config.model import EngineConfig

    with pytest.raises(ConfigError) as raised:
        parse(EngineConfig, {**DOCUMENT, "proxy": section}, "engine.json")
    assert words in str(raised.value)


def test_a_login_is_encoded_and_read_back_whatever_is_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    login = "do:main\\user", "p@ss/w:ör d%"
    url = proxy_variables(ProxyOptions(url=URL), login)["HTTPS_PROXY"]
    assert (login_of(url), without_login(url)) == (login, URL)


@pytest.mark.parametrize(
    ("login", "secret", "words"),
    [
        (PAIR, None, "PX_USER, which is not set"),
        (SECRET, '{"username": "u"}', "holds no JSON text"),
        (SECRET, '{"username": "u", "password": 1}', "is not text"),
        (SECRET, "hunter2", "holds no JSON text"),
    ],
)
def test_a_login_that_is_not_there_is_named_and_leaves_the_environment_as_it_was(
    monkeypatch: pytest.MonkeyPatch, login: dict[str, str], secret: str | None, words: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://theirs:1")
    before = variables_now()
    monkeypatch.setattr("firnline_ingest.aws.secrets.read_secret", lambda *_: secret)
    with pytest.raises(ProxyLoginMissing, match=words) as raised:
        use_proxy(through(login=login))
    assert "hunter2" not in str(raised.value)
    assert variables_now() == before


def test_the_secret_is_read_without_a_proxy_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def read(*_: object) -> str:
        asked.append(variables_now())
        return '{"username": "u", "password": "w"}'

    monkeypatch.setenv("HTTPS_PROXY", "http://theirs:1")
    monkeypatch.setattr("firnline_ingest.aws.secrets.read_secret", read)
    engine = through(login=SECRET)
    use_proxy(engine)
    use_proxy(engine)
    assert asked == [{}]
    assert os.environ["HTTPS_PROXY"] == "http://u:w@proxy.example.com:3128"
    assert Feature.REGISTRY_LOGIN in features_of(engine)


def test_an_executors_clients_are_made_behind_the_proxy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made: list[Any] = []
    monkeypatch.setattr(task, "ShardGroup", lambda services, _: made.append(services))
    task._new_group(config(proxy={"url": URL}, dead_letters={"folder": str(tmp_path)}), "run")
    session: Any = made[0].kinesis._endpoint.http_session
    assert session._proxy_config.proxy_url_for("https://kinesis.us-east-1.amazonaws.com") == URL


def test_aws_behind_a_proxy_that_wants_another_login_says_so() -> None:
    with ConnectProxy(login="a:b") as office:
        use_proxy(through(office.url))
        aws = config().aws
        for ask in (
            lambda: read_lineage(kinesis_client(aws), "orders"),
            lambda: DynamoLedger(dynamodb_client(aws), "ledger").current_run(),
        ):
            with pytest.raises(FirnlineError, match="407") as raised:
                ask()
            assert isinstance(raised.value.__cause__, ProxyConnectionError)
            assert (raised.value.is_retryable, "proxy.login" in raised.value.next_step) == (True, True)
        with pytest.raises(FirnlineError) as raised:
            check_proxy(through(office.url))
        assert raised.value.id == "FL-1111"


def test_spark_has_the_proxy_where_s3_is_behind_it_and_its_login_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PX_USER", "engine")
    monkeypatch.setenv("PX_WORD", "hunter2")
    engine = through(login=PAIR)
    use_proxy(engine)
    settings = settings_of(engine)
    assert (settings[f"{S3A}host"], settings[f"{S3A}port"]) == ("proxy.example.com", "3128")
    assert "hunter2" not in str(settings)
    private = through(no_proxy=["s3.us-east-1.amazonaws.com"])
    use_proxy(private)
    assert f"{S3A}host" not in settings_of(private)


def test_validate_asks_the_proxy_first(tmp_path: Path) -> None:
    with ConnectProxy(login="a:b") as office:
        engine = config(proxy={"url": office.url}, dead_letters={"folder": str(tmp_path)})
        use_proxy(engine)
        found = next(iter(validate(engine).findings))
    assert (found.name, found.error) == ("proxy", "FL-1111")


def test_a_proxy_that_nothing_is_asked_through_keeps_no_engine_from_starting() -> None:
    """Snowflake by PrivateLink, Kinesis by an endpoint of its own: the public names are not asked at all."""
    private = config(
        proxy={"url": "http://127.0.0.1:9", "no_proxy": ["privatelink.snowflakecomputing.com", "vpce.example.com"]},
        aws={"region": "cn-north-1", "endpoints": {"kinesis": "https://kinesis.vpce.example.com"}},
        snowflake={**DOCUMENT["snowflake"], "url": "https://a.privatelink.snowflakecomputing.com"},
    )
    use_proxy(private)
    assert check_proxy(private) == "no host that is asked for here goes through it"
    with pytest.raises(FirnlineError) as raised:
        check_proxy(private.model_copy(update={"aws": private.aws.model_copy(update={"endpoints": {}})}))
    assert raised.value.id == "FL-1113"
