"""Whatever bytes come, the reader raises nothing and gives only rows that the store takes."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firnline_local.snowflake.streaming.reader import RowReader

Account = Any  # of conftest.py

TYPES = {
    "V": "VARIANT", "S": "VARCHAR(20)", "N": "NUMBER(10,3)", "F": "FLOAT", "O": "OBJECT", "A": "ARRAY", "T": "TIMESTAMP_NTZ",
    "Z": "TIMESTAMP_TZ", "D": "DATE", "I": "TIME", "B": "BOOLEAN", "X": "BINARY",
}  # fmt: skip # a paragraph, not a column
LITERALS = st.sampled_from(
    [
        rb'"\ud83d\ude00"', rb'"\ud800"', rb'"\u0000"', b'"aGk="', b'"2026-02-30"', b'"0001-01-01T00:00:00+23:59"', b'"24:00"',
        b'"9999-12-31T23:59:59-10:00"', b"253402300800", b"9999999.9995", b"1e400", b"-0.0005", b"[" * 900 + b"]" * 900,
    ]
)  # fmt: skip # a paragraph, not a column
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
).map(lambda value: json.dumps(value).encode())


@given(
    values=st.dictionaries(
        st.sampled_from(sorted(TYPES)), LITERALS | JSON_VALUES | st.binary(max_size=8), min_size=1, max_size=4
    )
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_that_the_reader_gives_are_rows_that_the_store_takes(account: Account, values: dict[str, bytes]) -> None:
    table = account.table("ANY", *(f"{name} {kind}" for name, kind in TYPES.items()), replace=True)
    line = b"{" + b",".join(b'"%s":%s' % (name.encode(), value) for name, value in values.items()) + b"}"
    batch = RowReader(table.columns).read(line)

    account.catalog.insert_rows(table, batch.rows, committed_at=account.clocks.wall)
    assert len(account.rows(table)) == len(batch.rows)
    assert batch.rows or batch.errors or not line.strip()
