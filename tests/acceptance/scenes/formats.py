"""Every format in one engine, good records with 1 % of every kind of bad one among them.

Beside them pipelines that skip such records, or stop in front of the first one, and pipelines whose table refuses rows, with
either tolerance. Whoever stops is named and stands still; all others are read to their end. Then a person decides, and a second
run brings in the rest.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from uuid import UUID

from tests.acceptance.payloads import OBJECTS, SCHEMA, Put, Registries, Sort, as_json, sorts
from tests.acceptance.stage import METADATA, STOPPED, Stage
from tests.acceptance.sums import Line, SceneFailed, Sums
from tests.fakes.confluent_registry import Registry, serving

GOOD = 500
COPIES = GOOD // 100
"""Of each kind of bad record."""
SKIPS, STOPS, REFUSES, TOLERATES = "skips", "stops", "refuses", "tolerates"
NO_NUMBER = Put(b'{"n": "a text"}')


def play(stage: Stage) -> Sequence[Line]:
    registry = Registry()
    with serving(registry):
        there = sorts(_registered(stage, registry))
        for name, of in there.items():
            stage.pipeline(name, shards=of.shards, columns=_columns(of), **of.options)
            stage.put(name, _mixed(of, random.Random(name)))
        _deciding(stage)
        stage.access |= {"asks_glue": True}
        stage.run(status=STOPPED)
        lines = [Line(name, sums, _expected(there[name])) for name, sums in stage.audit().items() if name in there]
        lines += _stopped(stage)
        for name, of in there.items():
            _check_reasons(stage, name, of)
        lines += _decided(stage)
    return lines


def _registered(stage: Stage, registry: Registry) -> Registries:
    made = stage.client("glue").create_schema(
        SchemaName=stage.name, DataFormat="AVRO", Compatibility="NONE", SchemaDefinition=json.dumps(SCHEMA)
    )
    return Registries(
        url=registry.url,
        known=registry.register("orders", SCHEMA),
        no_record=registry.register("names", {"type": "string"}),
        glue=UUID(made["SchemaVersionId"]),
    )


def _columns(of: Sort) -> str:
    """As the stack makes them; content without a column of its own gets its columns by evolution."""
    if of.options.get("metadata", {}).get("form") != "columns":
        return METADATA
    from firnline_infra.specification.metadata_type import metadata_columns
    from firnline_infra.specification.pipeline import Pipeline

    metadata = {"metadata": of.options["metadata"]}
    pipeline = Pipeline.model_validate({"stream": "s", "database": "D", "schema": "S", **metadata})
    own = [f"{name} {type_}" for name, type_ in metadata_columns(pipeline).items()]
    return ", ".join([*own, "WHOLE VARIANT"])


def _mixed(of: Sort, rng: random.Random) -> list[Put]:
    """Good ones in their order, and each kind of the others somewhere among them."""
    puts = [of.good(n) for n in range(GOOD)]
    others = [*(bad.put for bad in of.bad.values()), *of.left_out.values(), *([of.empty] if of.empty else [])]
    for put in others * COPIES:
        puts.insert(rng.randrange(1, len(puts)), put)
    return puts


def _expected(of: Sort) -> Sums:
    rows = GOOD * of.rows + (COPIES if of.empty else 0)
    letters, left_out = len(of.bad) * COPIES, {str(why): COPIES for why in of.left_out}
    return Sums(records=rows + letters + sum(left_out.values()), rows=rows, dead_letters=letters, **left_out)


def _check_reasons(stage: Stage, name: str, of: Sort) -> None:
    found = stage.letters(name)
    expected = Counter({str(why): COPIES * n for why, n in Counter(bad.why for bad in of.bad.values()).items()})
    if found != expected:
        raise SceneFailed(f"{name}: letters {dict(found)}, not {dict(expected)}")


# Those about which somebody decides


def _deciding(stage: Stage) -> None:
    numbers = f"{METADATA}, N NUMBER"
    stage.pipeline(SKIPS, unusable_records="skip", max_row_bytes=20_000)
    stage.pipeline(STOPS, unusable_records="stop", max_row_bytes=20_000)
    stage.pipeline(REFUSES, columns=numbers, tolerance="none")
    stage.pipeline(TOLERATES, columns=numbers, tolerance="all")
    bad = [each.put for each in OBJECTS.values()]
    for name in (SKIPS, STOPS):
        stage.put(name, _among(bad))
    for name in (REFUSES, TOLERATES):
        stage.put(name, _among([NO_NUMBER]))


def _among(bad: Sequence[Put]) -> Iterator[Put]:
    """The first bad ones after a fifth of the good ones."""
    for n in range(GOOD):
        yield Put(as_json(n))
        if n % (GOOD // COPIES) == GOOD // COPIES - 1:
            yield from bad


BAD = len(OBJECTS) * COPIES


def _stopped(stage: Stage) -> Iterator[Line]:
    """After the first run."""
    found = stage.audit()
    yield Line(SKIPS, found[SKIPS], Sums(records=GOOD + BAD, rows=GOOD, skipped=BAD))
    yield Line(TOLERATES, found[TOLERATES], Sums(records=GOOD + COPIES, rows=GOOD, error_rows=COPIES))
    before = GOOD // COPIES
    yield Line(
        f"{STOPS}: in front of the first",
        found[STOPS],
        Sums(records=GOOD + BAD, rows=before, missing=GOOD + BAD - before),
    )
    refused = found[REFUSES]
    told = {problem for stream, problem in stage.problems() if stream == REFUSES}
    if told != {"FL-3105"}:
        raise SceneFailed(f"{REFUSES}: stopped by {told}, not by FL-3105")
    sent = refused.rows + refused.error_rows
    expected = Sums(
        records=GOOD + COPIES,
        rows=sent - refused.error_rows,
        error_rows=max(1, refused.error_rows),
        missing=GOOD + COPIES - sent,
    )
    yield Line(f"{REFUSES}: at the first", refused, expected)


def _decided(stage: Stage) -> Iterator[Line]:
    """Letters are kept from now on, and the rejected rows accepted."""
    stage.streams[STOPS]["unusable_records"] = "keep"
    for _ in range(COPIES):
        failed = [line for line in stage.log("shard.failed") if line["shard"].startswith(f"{REFUSES}/")]
        token = failed[-1]["next_step"].split("--accept-errors ")[1].split(".")[0]
        stage.ingest("resume", "--stream", REFUSES, "--accept-errors", token)
        with stage.engine("--available-now") as engine:
            status = engine.wait(420)
        if status == 0:
            break
    found = stage.audit()
    yield Line(f"{STOPS}: kept since", found[STOPS], Sums(records=GOOD + BAD, rows=GOOD, dead_letters=BAD))
    accepted = Sums(records=GOOD + COPIES, rows=GOOD, error_rows=COPIES)
    yield Line(f"{REFUSES}: accepted", found[REFUSES], accepted)
