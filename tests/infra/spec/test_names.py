from collections.abc import Callable

from firnline_infra.spec import EnvironmentSpec
from firnline_infra.spec.identifier import Identifier
from firnline_infra.spec.names import Names, Principal, table_of


def test_names_follow_from_the_environment(spec: Callable[..., EnvironmentSpec]) -> None:
    assert Names.of(spec(name="dev-eu")) == Names(
        application="firnline-dev-eu",
        ledger_table="firnline-dev-eu",
        ingest=Principal(user=Identifier("FIRNLINE_DEV_EU_INGEST"), role=Identifier("FIRNLINE_DEV_EU_INGEST")),
        reader=Principal(user=Identifier("FIRNLINE_DEV_EU_READER"), role=Identifier("FIRNLINE_DEV_EU_READER")),
    )


def test_a_name_that_is_given_is_kept(spec: Callable[..., EnvironmentSpec]) -> None:
    names = Names.of(
        spec(
            application="clicks",
            ledger={"table": "clicks-ledger"},
            snowflake={"account": "ORG-ACCOUNT", "ingest": {"user": "loader"}, "reader": {"role": '"Audit"'}},
        )
    )
    assert (names.application, names.ledger_table) == ("clicks", "clicks-ledger")
    assert names.ingest == Principal(user=Identifier("LOADER"), role=Identifier("LOADER"))
    assert names.reader == Principal(user=Identifier("FIRNLINE_DEV_READER"), role=Identifier("Audit"))


def test_a_table_is_named_by_the_pipeline_or_by_its_stream(spec: Callable[..., EnvironmentSpec]) -> None:
    (from_stream,) = spec().pipelines
    assert table_of(from_stream).sql == '"LAKE"."RAW"."ORDERS"'
    (given,) = spec(
        pipelines=[{"stream": "orders", "database": "LAKE", "schema": "RAW", "table": '"Orders"'}]
    ).pipelines
    assert table_of(given).sql == '"LAKE"."RAW"."Orders"'
