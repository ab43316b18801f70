"""Against the embedded environment: real answers, real connections."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from firnline_infra.blueprint.network import Destination, Party
from firnline_infra.doctor import examine
from firnline_infra.doctor.network import reach
from firnline_infra.specification import load_spec, parse_spec
from firnline_ingest.checks import Verdict
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.faults import Fault, FaultKind
from firnline_local.running import RunningEnvironment

pytestmark = pytest.mark.contract
LOCAL_SPEC = Path(__file__).parents[3] / "stacks" / "environments" / "local.yaml"
AREAS = ("accounts", "clock", "limits", "names")


def place(url: str, host: str | None = None) -> Destination:
    parts = urlsplit(url)
    return Destination(host=host or str(parts.hostname), port=int(parts.port or 443), needed_by=(Party.CI,), why="w")


def test_an_environment_whose_objects_are_somebody_elses_is_told_what_is_taken(
    local_environment: RunningEnvironment,
) -> None:
    spec = load_spec(LOCAL_SPEC)
    found = examine(spec, EmbeddedAccounts(local_environment), state=dict, areas=AREAS)
    bad = {each.object for each in found.findings if each.verdict is Verdict.WRONG}
    assert {"stream orders", "table FIRNLINE.RAW.ORDERS in Snowflake"} <= bad
    assert {each.rule for each in found.findings if each.verdict is Verdict.GOOD} == {"accounts", "clock", "limits"}
    assert found.exit_status == 3


def test_a_name_that_another_role_may_have_unseen_is_not_called_free(local_environment: RunningEnvironment) -> None:
    text = (
        LOCAL_SPEC.read_text(encoding="utf-8")
        .replace("name: local", "name: other")
        .replace("base: FIRNLINE", "base: ELSEWHERE")
    )
    spec = parse_spec(text.replace("orders", "other-orders"), "other.yaml")
    findings = examine(spec, EmbeddedAccounts(local_environment), state=dict, areas=("names",)).findings
    (found,) = (each for each in findings if each.verdict is Verdict.GOOD)
    assert "Whether another role has database ELSEWHERE already, which Snowflake does not show" in found.found


def test_embedded_accounts_have_no_network_no_bootstrap_no_quotas_and_no_pipeline(
    local_environment: RunningEnvironment,
) -> None:
    found = examine(load_spec(LOCAL_SPEC), EmbeddedAccounts(local_environment), state=dict)
    assert {each.rule for each in found.findings} == {"tools", "accounts", "clock", "names"}


def test_a_service_that_does_not_answer_is_unknown_and_the_rest_is_told(local_environment: RunningEnvironment) -> None:
    refused = Fault(endpoint="kinesis:DescribeLimits", kind=FaultKind.ERROR, status=400, code="AccessDeniedException")
    local_environment.set_faults([refused])
    try:
        found = examine(
            load_spec(LOCAL_SPEC), EmbeddedAccounts(local_environment), state=dict, areas=("limits", "accounts")
        )
    finally:
        local_environment.set_faults([])
    assert next(each.verdict for each in found.findings if each.rule == "limits") is Verdict.UNKNOWN
    assert [each.verdict for each in found.findings if each.rule == "accounts"] == [Verdict.GOOD, Verdict.GOOD]
    assert found.exit_status == 2


def test_a_host_is_tried_by_name_connection_and_certificate(
    local_environment: RunningEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoints = local_environment.endpoints
    snowflake = place(endpoints.snowflake)
    nowhere, nobody = place("https://127.0.0.1:9"), place("https://x:443", "no-such-host.invalid")
    untrusted, closed, unnamed = reach((snowflake, nowhere, nobody), proxies={})
    assert "certificate is not trusted" in untrusted.found
    assert closed.found.startswith("no connection to 127.0.0.1")
    assert "name is not known" in unnamed.found
    assert {each.verdict for each in (untrusted, closed, unnamed)} == {Verdict.WRONG}

    monkeypatch.setenv("SSL_CERT_FILE", str(endpoints.ca_file))
    (trusted,) = reach((snowflake,), proxies={})
    assert trusted.verdict is Verdict.GOOD
    assert "TLSv1" in trusted.found
