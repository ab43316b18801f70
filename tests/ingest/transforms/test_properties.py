"""Any JSON, any list of transforms: a row, a letter or nothing on purpose; always the same; and one behind the other."""

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from firnline_ingest.config.document import parse
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import RowMaker
from tests.ingest.transforms.making import NO_METADATA

KEYS = st.sampled_from(["a", "b", "A", "c.d", "é", "KINESISMETADATA", ""])
PATHS = st.sampled_from(["a", "b", "a.b", "b[].a", "`c.d`", "a.a.b", "é", "KINESISMETADATA"])
PLACES = PATHS.filter(lambda path: "[]" not in path)
NAMES = st.sampled_from(["a", "b", "x", "B"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from(
        ["12", "-1.50", "true", '{"a":1}', "2026-01-31", "2026-01-31T12:00:00.5+01:00", 10**40, 1769860800]
    ),
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=5) | VALUES


def _written(value: object, is_ascii: bool, is_spaced: bool) -> bytes:
    return json.dumps(value, ensure_ascii=is_ascii, separators=None if is_spaced else (",", ":")).encode()


WRITTEN = st.builds(_written, OBJECTS, st.booleans(), st.booleans())
WITHOUT_ESCAPES = st.builds(_written, OBJECTS, st.just(False), st.booleans())
PAYLOADS = st.one_of(WRITTEN, WRITTEN, WRITTEN, st.binary(max_size=20))
FORMS = st.sampled_from(["iso8601", "seconds", "nanoseconds", "yyyy-MM-dd"])


def _of(kind: str, **options: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"type": st.just(kind), **options})


TRANSFORMS = st.one_of(
    _of("hoist", field=NAMES),
    _of("extract", field=PLACES, missing=st.sampled_from(["reject", "filter", "keep"])),
    _of("insert", field=PLACES, value=VALUES, existing=st.sampled_from(["reject", "keep", "replace"])),
    _of(
        "insert",
        field=PLACES,
        metadata=st.sampled_from(["stream", "partition_key", "approximate_arrival", "sub_sequence_number"]),
    ),
    _of("mask", fields=st.lists(PATHS, min_size=1, max_size=2), hash=st.none() | st.just("sha256")),
    _of("rename", fields=st.dictionaries(PATHS, NAMES, min_size=1, max_size=3)),
    _of("exclude", fields=st.lists(PATHS, min_size=1, max_size=2)),
    _of(
        "cast",
        fields=st.dictionaries(PATHS, st.sampled_from(["text", "integer", "number", "boolean", "json"]), min_size=1),
    ),
    _of("flatten", delimiter=st.sampled_from(["_", "."])),
    _of("timestamp", fields=st.lists(PATHS, min_size=1, max_size=2), read=FORMS, write=FORMS),
    _of("filter", field=PLACES, one_of=st.lists(st.integers() | st.text(max_size=2), min_size=1), keep=st.booleans()),
    _of("filter", field=PLACES, exists=st.booleans(), keep=st.booleans()),
)


def fate(payload: bytes, transforms: list[dict[str, Any]]) -> tuple[str, bytes]:
    """Returns what becomes of a record: as what, and its bytes or the reason."""
    document = {"stream": "s", "database": "D", "schema": "S", "transforms": transforms, "metadata": NO_METADATA}
    maker = RowMaker(parse(PipelineConfig, document, "engine.json"), "s", "shard")
    rows = maker.convert([Record("7", payload, "key", 1.5)])
    assert (rows.taken, len(rows.rows) + len(rows.rejected) + rows.left_out.total()) == (1, 1)
    if rows.rows:
        return "row", bytes(rows.rows[0])
    return ("letter", rows.rejected[0].reason.encode()) if rows.rejected else ("filtered", b"")


@given(payload=PAYLOADS, transforms=st.lists(TRANSFORMS, max_size=4))
@example(payload=b'{"a":1e99999999999999999999}', transforms=[{"type": "cast", "fields": {"a": "integer"}}])
@example(payload=b'{"a":1,"a":2}', transforms=[{"type": "flatten"}])
def test_every_record_is_one_thing_and_the_same_at_every_reading(
    payload: bytes, transforms: list[dict[str, Any]]
) -> None:
    what, content = fate(payload, transforms)
    assert fate(payload, transforms) == (what, content)
    if what == "row":
        assert isinstance(json.loads(content), dict)
        assert not {b"\n", b"\r"} & {content[n : n + 1] for n in range(len(content))}, "a row is one line"


@given(
    payload=WRITTEN.map(lambda payload: json.dumps(json.loads(payload), ensure_ascii=False).encode()),
    first=st.lists(TRANSFORMS, max_size=2),
    then=st.lists(TRANSFORMS, max_size=2),
)
def test_two_lists_one_behind_the_other_are_one(
    payload: bytes, first: list[dict[str, Any]], then: list[dict[str, Any]]
) -> None:
    what, between = fate(payload, first)
    if what == "row":
        expected, found = fate(between, then), fate(payload, [*first, *then])
        assert expected[0] == found[0]
        assert expected[0] != "row" or json.loads(expected[1]) == json.loads(found[1])


@given(payload=WRITTEN, transforms=st.lists(TRANSFORMS, max_size=4))
def test_what_is_absent_is_touched_by_none_that_needs_it(payload: bytes, transforms: list[dict[str, Any]]) -> None:
    untouched = [{"type": "exclude", "fields": ["absent"]}, {"type": "cast", "fields": {"absent.a": "text"}}]
    expected, found = fate(payload, transforms), fate(payload, [*untouched, *transforms, *untouched])
    assert found[0] == expected[0]
    assert found[0] != "row" or json.loads(found[1]) == json.loads(expected[1])


@given(value=st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3))
def test_hoist_and_extract_undo_one_another(value: dict[str, Any]) -> None:
    payload = json.dumps(value, separators=(",", ":")).encode()
    both = [{"type": "hoist", "field": "C"}, {"type": "extract", "field": "C"}]
    assert fate(payload, both) == fate(payload, [])
