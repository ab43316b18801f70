"""A view with aggregates, as docs/redshift.md has it, counts each record once, whatever refresh brought it."""

import re
from pathlib import Path

import pytest
import yaml

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.redshift import sql
from firnline_infra.blueprint.redshift.definitions import StreamViewDefinition
from firnline_infra.redshift.audit import audit_view
from firnline_infra.redshift.difference import normalized
from firnline_ingest.errors import UsageError
from tests.infra.specifications import smallest
from tests.local.runtimes.redshift.conftest import STREAM, Account, StatementFailed

PAGE = (Path(__file__).parents[4] / "docs" / "redshift.md").read_text(encoding="utf-8")
(BLOCK,) = re.findall(r"^~~~yaml\n(.*?)^~~~$", PAGE, re.DOTALL | re.MULTILINE)


def view(stream: str) -> StreamViewDefinition:
    section = yaml.safe_load(BLOCK.replace("stream: orders", f"stream: {stream}"))["redshift"]
    pipeline = {"stream": stream, "database": "LAKE", "schema": "RAW"}
    spec = smallest(streams=[{"name": stream}], pipelines=[pipeline], redshift=section)
    destination = blueprint_of(spec).redshift
    assert destination is not None
    return destination.views[0]


def orders(account: Account) -> list[tuple[str, int, str]]:
    rows = account.run(
        "SELECT kind, sum(orders) AS n, sum(total) AS total FROM orders_by_kind GROUP BY kind ORDER BY kind"
    )
    return [(str(kind), int(n), f"{float(total):.2f}") for kind, n, total in rows]


def test_each_record_counts_once_and_what_fails_changes_nothing(account: Account) -> None:
    made = view(STREAM)
    account.run("CREATE EXTERNAL SCHEMA kinesis FROM KINESIS IAM_ROLE default")
    account.run(sql.create_view(made).replace("AUTO REFRESH YES", "AUTO REFRESH NO"))
    account.put(b'{"kind": "a", "amount": 1.50}', b'{"kind": "b", "amount": "2"}', b"no json")
    account.run(sql.refresh(made))
    assert orders(account) == [("a", 1, "1.50"), ("b", 1, "2.00")]
    account.put(b'{"kind": "a", "amount": 0.25}')
    for _ in range(2):
        account.run(sql.refresh(made))
    assert orders(account) == [("a", 2, "1.75"), ("b", 1, "2.00")]
    account.put(b'{"kind": "a", "amount": "dear"}')
    with pytest.raises(StatementFailed):
        account.run(sql.refresh(made))
    assert orders(account) == [("a", 2, "1.75"), ("b", 1, "2.00")]


def test_its_definition_is_known_again_and_its_rows_are_no_records_to_audit(account: Account) -> None:
    made = view(STREAM)
    account.run("CREATE EXTERNAL SCHEMA kinesis FROM KINESIS IAM_ROLE default")
    account.run(sql.create_view(made))
    ((text,),) = account.run("SHOW VIEW orders_by_kind")
    assert normalized(str(text)) == normalized(sql.select(made))
    nothing: object = None
    with pytest.raises(UsageError, match="aggregates of records"):
        audit_view(nothing, nothing, made, since=None, until=None)  # type: ignore[arg-type]
