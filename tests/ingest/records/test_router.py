"""Tests of which table a record goes to, as a table of its own."""

import pytest

from firnline_ingest.config.routes import Routes
from firnline_ingest.records.rejection import RejectReason, Unusable
from firnline_ingest.records.router import Router

TABLES = {"order": "orders", "refund": '"Refunds"', "é": "ACCENTS", "again": "ORDERS"}
GOLDEN = [
    (b'{"kind":"order"}', "ORDERS"),
    (b'{"a":{"kind":"refund"},"kind":"order"}', "ORDERS"),
    (b'{"kind":"refund"}', "Refunds"),
    (b'{"kind":"again"}', "ORDERS"),
    (b'{"kind":"\\u006frder"}', "ORDERS"),
    ('{"kind":"é"}'.encode(), "ACCENTS"),
    (b'{"kind":"\\u00e9"}', "ACCENTS"),
    (b'{"kind": "order" , "n": 1e999}', "ORDERS"),
]
ELSEWHERE = [
    b'{"kind":"Order"}',
    b'{"kind":null}',
    b'{"kind":7}',
    b'{"kind":{"a":1}}',
    b'{"Kind":"order"}',
    b"{}",
    b'{"kind":""}',
]


def table_of(data: bytes, **options: object) -> str:
    router = Router(Routes.model_validate({"key": "kind", "tables": TABLES, **options}))
    assert list(router.follow([data])) == [data]
    assert list(router.follow([data])) == [data], "what was looked up once is the same again"
    return router.table


@pytest.mark.parametrize(("data", "table"), GOLDEN)
def test_the_value_names_the_table(data: bytes, table: str) -> None:
    assert table_of(data) == table


@pytest.mark.parametrize("data", ELSEWHERE)
def test_what_no_route_names_goes_where_the_others_go(data: bytes) -> None:
    assert table_of(data, unmatched="own_table") == ""
    with pytest.raises(Unusable) as refused:
        table_of(data)
    assert refused.value.fault.reason is RejectReason.NO_ROUTE


def test_rows_of_one_record_go_to_one_table() -> None:
    router = Router(Routes.model_validate({"key": "kind", "tables": TABLES}))
    assert len(list(router.follow([b'{"kind":"order"}', b'{"kind":"again"}']))) == 2
    with pytest.raises(Unusable, match="different tables"):
        list(router.follow([b'{"kind":"order"}', b'{"kind":"refund"}']))


def test_a_key_of_any_name_is_looked_at() -> None:
    router = Router(Routes.model_validate({"key": "a b.ç", "tables": {"x": "X"}}))
    assert list(router.follow(['{"a b.ç":"x"}'.encode()]))
    assert router.table == "X"
