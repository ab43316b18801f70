"""Confluent's REST API, asked over HTTP."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from urllib3.exceptions import HTTPError

from firnline_ingest.config.format import RegisteredSchema
from firnline_ingest.config.registries import ConfluentRegistry
from firnline_ingest.errors import FirnlineError, SchemaRegistryError
from firnline_ingest.schemas import confluent
from firnline_ingest.schemas.confluent import ConfluentSchemas
from firnline_ingest.schemas.errors import (
    LoginUnreadable,
    RegistryForbidden,
    RegistryStrange,
    RegistryThrottled,
    RegistryUnreachable,
)
from firnline_ingest.schemas.login import BasicLogin
from firnline_local.snowflake.tls import make_certificates
from tests.fakes.confluent_registry import Registry, serving
from tests.fakes.connect_proxy import ConnectProxy

ORDER = {"type": "record", "name": "shop.Order", "fields": [{"name": "id", "type": "long"}]}
LINE = {"type": "record", "name": "shop.Line", "fields": [{"name": "order", "type": "shop.Order"}]}
SECRET = "arn:aws:secretsmanager:eu-west-1:111122223333:secret:registry-AbCdEf"


@pytest.fixture
def registry() -> Iterator[Registry]:
    with serving(Registry()) as one:
        yield one


def asking(registry: Registry, secret: Any = "{}", **more: Any) -> ConfluentSchemas:
    config = ConfluentRegistry.model_validate({"url": registry.url, **more}, strict=None)
    return ConfluentSchemas(
        config, BasicLogin(config, lambda arn: secret() if callable(secret) else secret), lambda _: None
    )


def test_a_registry_is_waited_for_as_long_as_was_asked_for(registry: Registry) -> None:
    ask = asking(registry, timeout_seconds=3)
    asked: list[float] = []
    ask._pool.request = lambda *_, timeout, **__: (asked.append(timeout), _cut())  # type: ignore[method-assign, assignment]
    with pytest.raises(RegistryUnreachable):
        ask(1)
    assert asked == [3.0] * confluent.ATTEMPTS


def _cut() -> None:
    raise HTTPError("cut")


def test_a_schema_is_had_by_its_id(registry: Registry) -> None:
    first = registry.register("orders-value", ORDER)
    other = registry.register("other-value", '{"type": "object"}', kind="JSON")
    ask = asking(registry)
    assert ask(first) == RegisteredSchema(json.dumps(ORDER))
    assert ask(other) == RegisteredSchema('{"type": "object"}', "JSON")
    assert ask(77) is None


def test_a_schema_comes_with_what_it_refers_to_each_behind_what_it_refers_to_itself(registry: Registry) -> None:
    registry.register("order", ORDER)
    to_order = {"name": "shop.Order", "subject": "order", "version": 1}
    registry.register("a line", LINE, references=[to_order])
    to_line = {"name": "shop.Line", "subject": "a line", "version": 1}
    basket = {"type": "record", "name": "B", "fields": [{"name": "l", "type": "shop.Line"}]}
    number = registry.register("basket", basket, references=[to_line, to_order])
    found = asking(registry)(number)
    assert found.references == (json.dumps(ORDER), json.dumps(LINE))


def test_references_in_a_circle_have_an_end(registry: Registry) -> None:
    registry.schemas[1] = {"schema": "{}", "references": [{"name": "b", "subject": "b", "version": 1}]}
    registry.schemas[2] = {"schema": "{}", "references": [{"name": "a", "subject": "a", "version": 1}]}
    registry.subjects |= {"a": [1], "b": [2]}
    with pytest.raises(RegistryStrange, match="without an end"):
        asking(registry)(1)


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (500, {"error_code": 50001, "message": "the backend store"}, RegistryUnreachable),
        (503, b"<html>", RegistryUnreachable),
        (429, {"error_code": 429}, RegistryThrottled),
        (401, {"error_code": 401}, RegistryForbidden),
        (403, b"", RegistryForbidden),
        (404, {"error_code": 404, "message": "HTTP 404 Not Found"}, RegistryStrange),
        (404, b"<html>not here</html>", RegistryStrange),
        (404, [], RegistryStrange),
        (200, b"<html>log in</html>", RegistryStrange),
        (200, {"id": 1}, RegistryStrange),
        (200, [], RegistryStrange),
        (200, b"[" * 100_000, RegistryStrange),
        (302, b"", RegistryStrange),
        (200, {"schema": "{}", "references": [{}]}, RegistryStrange),
        (200, {"schema": "{}", "references": [{"name": "x", "subject": "nobody's", "version": 1}]}, RegistryStrange),
    ],
)
def test_an_answer_that_says_nothing_of_the_schema_passes(
    registry: Registry, status: int, body: Any, error: type[SchemaRegistryError]
) -> None:
    registry.refuses = [(status, body)] * confluent.ATTEMPTS
    with pytest.raises(error) as refused:
        asking(registry)(1)
    assert refused.value.is_retryable
    assert registry.url in refused.value.what
    registry.refuses.clear()
    assert asking(registry)(1) is None


def test_an_answer_has_an_end(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    number = registry.register("s", ORDER)
    monkeypatch.setattr(confluent, "ANSWER_BYTES", 10)
    with pytest.raises(RegistryUnreachable, match="more than"):
        asking(registry)(number)


def test_a_fault_of_a_moment_is_asked_again_at_once(registry: Registry) -> None:
    number = registry.register("s", ORDER)
    registry.refuses = [(503, b""), (429, b"")]
    assert asking(registry)(number) is not None
    assert len(registry.asked) == 3


def test_a_registry_that_is_not_there_passes() -> None:
    with serving(Registry()) as gone:
        pass
    with pytest.raises(RegistryUnreachable, match="localhost"):
        asking(gone)(1)


def test_a_registry_is_trusted_by_the_file_that_was_named_and_by_no_other(tmp_path: Path) -> None:
    with serving(Registry(), make_certificates(tmp_path)) as registry:
        number = registry.register("s", ORDER)
        assert asking(registry, ca_file=str(tmp_path / "ca.pem"))(number) is not None
        with pytest.raises(RegistryUnreachable, match="CERTIFICATE_VERIFY_FAILED"):
            asking(registry)(number)


def test_a_login_is_read_again_when_it_was_refused(registry: Registry) -> None:
    number = registry.register("s", ORDER)
    registry.login = ("engine", "new")
    passwords = iter(["old", "new"])
    ask = asking(
        registry, lambda: json.dumps({"username": "engine", "password": next(passwords)}), login={"secret_arn": SECRET}
    )
    with pytest.raises(RegistryForbidden) as refused:
        ask(number)
    assert "old" not in str(refused.value)
    assert ask(number) is not None
    assert ask(number) is not None


def test_a_login_may_stand_in_variables(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    number = registry.register("s", ORDER)
    registry.login = ("engine", "pass:word")
    login = {"username_env": "REGISTRY_USER", "password_env": "REGISTRY_PASSWORD"}
    ask = asking(registry, login=login)
    with pytest.raises(LoginUnreadable, match="REGISTRY_USER is not set"):
        ask(number)
    monkeypatch.setenv("REGISTRY_USER", "engine")
    monkeypatch.setenv("REGISTRY_PASSWORD", "pass:word")
    assert ask(number) is not None


def test_a_login_for_this_machine_goes_to_no_proxy(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    number = registry.register("s", ORDER)
    registry.login = ("engine", "hunter2")
    login = {"username_env": "REGISTRY_USER", "password_env": "REGISTRY_PASSWORD"}
    monkeypatch.setenv("REGISTRY_USER", "engine")
    monkeypatch.setenv("REGISTRY_PASSWORD", "hunter2")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with serving(Registry()) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        assert asking(registry, login=login)(number) is not None
    assert not proxy.asked


def test_a_proxy_that_wants_a_login_gets_the_one_of_its_variable(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """urllib3 takes none out of a proxy's URL by itself."""
    number = registry.register("s", ORDER)
    for name in ("no_proxy", "NO_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    hosts = {"registry.example.com": urlsplit(registry.url).port or 0}
    with ConnectProxy(hosts, login="engine:p@ss/w:rd") as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.replace("//", "//engine:p%40ss%2Fw%3Ard@"))
        config = ConfluentRegistry.model_validate({"url": "http://registry.example.com"})
        ask = ConfluentSchemas(config, BasicLogin(config, lambda _: "{}"), lambda _: None)
        assert ask(number) is not None
    assert proxy.asked_hosts == {"registry.example.com"}


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_refuses_the_login_is_named_and_not_the_registry(
    monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    for name in ("no_proxy", "NO_PROXY", f"{scheme}_proxy"):
        monkeypatch.delenv(name, raising=False)
    with ConnectProxy(login="engine:right") as proxy:
        url = proxy.url
        monkeypatch.setenv(f"{scheme.upper()}_PROXY", proxy.url.replace("//", "//engine:wrong@"))
        config = ConfluentRegistry.model_validate({"url": f"{scheme}://registry.example.com"})
        with pytest.raises(FirnlineError) as refused:
            ConfluentSchemas(config, BasicLogin(config, lambda _: "{}"), lambda _: None)(1)
    assert refused.value.id == "FL-1111"
    assert f"{url} lets nobody through to registry.example.com" in refused.value.what
    assert "wrong" not in str(refused.value)
    assert len(proxy.asked) == 1


@pytest.mark.parametrize(
    "secret", [None, "", "hunter2", '{"username": "u"}', "[]", '{"username": 1, "password": "hunter2"}']
)
def test_a_secret_that_holds_no_login_is_told_without_its_content(registry: Registry, secret: str | None) -> None:
    with pytest.raises(LoginUnreadable) as refused:
        asking(registry, secret, login={"secret_arn": SECRET})(1)
    assert "hunter2" not in str(refused.value)
    assert refused.value.__cause__ is None
    assert not registry.asked
