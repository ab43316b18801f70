"""A decoder or a transform of the engine that is wrong: the audit finds it, because it reads records with readers of its own."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from firnline_infra.audit.findings import ProblemKind
from firnline_ingest.formats import packing
from firnline_ingest.kinesis import aggregate
from firnline_ingest.records import rows as engines_rows
from firnline_ingest.records.rejection import Filtered, Rejection, RejectReason, Unusable
from firnline_ingest.transforms import cast, timestamp
from tests.fakes.kpl_packing import Packed, pack
from tests.ingest.formats.fuzzing import SUBJECTS
from tests.ingest.formats.test_avro import ORDER, container

from .engine import audited, by_engine, pipeline_of, records_of

Decode = Callable[[bytes], Iterator[bytes]]
Patch = Callable[[pytest.MonkeyPatch], None]
FORMATS = {name: of for name, of in SUBJECTS.items() if not of.options and name != "aggregates"}
GOOD = [name for name in SUBJECTS if name != "json, by a callable"]


def loses_its_last_row(rows: list[bytes]) -> Sequence[bytes]:
    return rows[:-1]


def changes_its_last_row(rows: list[bytes]) -> Sequence[bytes]:
    return [*rows[:-1], b'{"changed":true}']


def makes_a_row_twice(rows: list[bytes]) -> Sequence[bytes]:
    return [*rows, rows[-1]]


def makes_a_row_of_all(rows: list[bytes]) -> Sequence[bytes]:
    return rows[:1] if len(rows) > 1 else [b"{}"]


WRONG = [loses_its_last_row, changes_its_last_row, makes_a_row_twice, makes_a_row_of_all]


def kinds(name: str, **more: Any) -> set[ProblemKind]:
    of = SUBJECTS[name]
    pipeline, records = pipeline_of(of.format, **{**of.options, **more}), records_of(*of.samples)
    return {each.kind for each in audited(pipeline, records, by_engine(pipeline, records)).problems}


@pytest.mark.parametrize("name", GOOD)
def test_what_the_engine_makes_of_good_records_is_proven(name: str) -> None:
    assert kinds(name) == set()


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_decoder_is_found(
    name: str, wrong: Callable[[list[bytes]], Sequence[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = engines_rows.decoder_of

    def decoder_of(*arguments: Any) -> Decode:
        decode = right(*arguments) or (lambda data: iter([data]))
        return lambda data: iter(wrong(list(decode(data))))

    monkeypatch.setattr(engines_rows, "decoder_of", decoder_of)
    assert kinds(name) & {ProblemKind.MISSING, ProblemKind.CHANGED, ProblemKind.UNEXPECTED, ProblemKind.DOUBLED}


@pytest.mark.parametrize("name", FORMATS)
def test_a_decoder_that_skips_good_records_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: bytes) -> Iterator[bytes]:
        raise Unusable(Rejection(RejectReason.MALFORMED, "it has a defect"))

    monkeypatch.setattr(engines_rows, "decoder_of", lambda *_: refuse)
    assert kinds(name, on_error="skip") == {ProblemKind.MISSING}


def first_only(pieces: Callable[[bytes], Iterator[bytes]]) -> Callable[[bytes], Iterator[bytes]]:
    return lambda data: itertools.islice(pieces(data), 1)


def test_a_gzip_of_which_only_the_first_member_is_read_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    import gzip

    lines = gzip.compress(b'{"n":1}\n') + gzip.compress(b'{"n":2}')
    pipeline, records = pipeline_of({"type": "json_lines", "compression": "gzip"}), records_of(lines)
    assert not audited(pipeline, records, by_engine(pipeline, records)).problems
    monkeypatch.setattr(packing, "_gunzip", first_only(packing._gunzip))
    findings = audited(pipeline, records, by_engine(pipeline, records))
    assert [(each.kind, each.position) for each in findings.problems] == [(ProblemKind.MISSING, "100.0.1")]


def test_a_user_record_that_is_lost_or_has_anothers_key_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline = pipeline_of({"type": "json"})
    records = records_of(pack([Packed(b'{"n":1}', "one"), Packed(b'{"n":2}', "two")]))
    right = aggregate._unpacked
    monkeypatch.setattr(aggregate, "_unpacked", lambda *each: itertools.islice(right(*each), 1))
    lost = audited(pipeline, records, by_engine(pipeline, records))
    assert [(each.kind, each.position) for each in lost.problems] == [(ProblemKind.MISSING, "100.1")]

    def misread(*each: Any) -> Iterator[Any]:
        for record in right(*each):
            record.PartitionKey = "one"
            yield record

    monkeypatch.setattr(aggregate, "_unpacked", misread)
    (changed,) = audited(pipeline, records, by_engine(pipeline, records)).problems
    assert (changed.kind, changed.position) == (ProblemKind.CHANGED, "100.1")


def test_a_decimal_of_avro_with_another_scale_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from fastavro.read import LOGICAL_READERS

    from firnline_ingest.formats.avro_decoding import objects

    pipeline, records = pipeline_of({"type": "avro"}), records_of(container(ORDER, ORDER))
    assert not audited(pipeline, records, by_engine(pipeline, records)).problems
    monkeypatch.setitem(LOGICAL_READERS, "bytes-decimal", lambda *each: objects._decimal(*each) * 10)
    findings = audited(pipeline, records, by_engine(pipeline, records))
    assert {each.kind for each in findings.problems} == {ProblemKind.CHANGED}
    assert "PRICE" in findings.problems[0].detail.upper()


RECORD = b'{"id":7,"at":"2026-01-31T12:00:00.5+01:00","n":"1.50","deep":{"a":[{"b":"x"},{"b":null}],"c":1},"gone":1}'
TRANSFORMS: dict[str, dict[str, Any]] = {
    "hoist": {"field": "all"},
    "extract": {"field": "deep"},
    "insert": {"field": "deep.key", "metadata": "partition_key"},
    "mask": {"fields": ["deep.a[].b"], "hash": "sha256"},
    "rename": {"fields": {"id": "ident", "deep.c": "d"}},
    "exclude": {"fields": ["gone", "deep.c"]},
    "cast": {"fields": {"n": "number", "id": "text"}},
    "flatten": {},
    "timestamp": {"fields": ["at"], "write": "milliseconds"},
    "filter": {"field": "id", "one_of": [7]},
}


def transformed(kind: str) -> set[ProblemKind]:
    pipeline = pipeline_of({"type": "json"}, transforms=[{"type": kind, **TRANSFORMS[kind]}])
    records = records_of(RECORD, RECORD.replace(b'"id":7', b'"id":8'))
    return {each.kind for each in audited(pipeline, records, by_engine(pipeline, records)).problems}


def nothing(document: Any, origin: Any) -> None:
    """Changes nothing."""


def filters(document: Any, origin: Any) -> None:
    raise Filtered


@pytest.mark.parametrize("kind", TRANSFORMS)
def test_a_transform_that_is_right_is_proven(kind: str) -> None:
    assert transformed(kind) == set()


@pytest.mark.parametrize("kind", TRANSFORMS)
@pytest.mark.parametrize("wrong", [nothing, filters])
def test_a_transform_that_does_nothing_or_filters_all_is_found(
    kind: str, wrong: Callable[[Any, Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    of = type(pipeline_of({"type": "json"}, transforms=[{"type": kind, **TRANSFORMS[kind]}]).transforms[0])
    monkeypatch.setattr(of, "compiled", lambda _: wrong)
    assert transformed(kind)


def an_hour_late(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(timestamp, "EPOCH", timestamp.EPOCH.replace(hour=1))


def without_fraction(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(timestamp, "_shortest", lambda number: int(number) // 1000 * 1000)


def rounded(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(cast.CASTS, cast.CastTo.NUMBER, lambda known, *_: str(round(float(known))).encode())


MUTATIONS: list[tuple[str, Patch]] = [
    ("timestamp", an_hour_late),
    ("timestamp", without_fraction),
    ("cast", rounded),
]


@pytest.mark.parametrize(("kind", "mutation"), MUTATIONS)
def test_a_transform_that_is_slightly_wrong_is_found(
    kind: str, mutation: Patch, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutation(monkeypatch)
    assert transformed(kind) == {ProblemKind.CHANGED}
