"""Every format in one engine, good records with 1 % of every kind of bad one among them.

Beside them pipelines that skip such records, or stop in front of the first one, and pipelines whose table refuses rows, with
either tolerance. Whoever stops is named and stands still; all others are read to their end. Then a person decides, and a second
run brings in the rest.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from firnline_infra.specification.metadata_type import metadata_columns
from firnline_infra.specification.pipeline import Pipeline
from tests.acceptance.orders import PROTO, SCHEMA, as_json
from tests.acceptance.payloads import OBJECTS, Put, Registries, Sort, sorts
from tests.acceptance.stage import METADATA, STOPPED, Stage
from tests.acceptance.sums import Line, SceneFailed, Sums
from tests.fakes.confluent_registry import Registry, serving

SKIPS, STOPS, REFUSES, TOLERATES = "skips", "stops", "refuses", "tolerates"
NO_NUMBER = Put(b'{"n": "a text"}')
KINDS = [each.put for each in OBJECTS.values()]
"""Of bad records, in the pipelines that somebody decides about."""


@dataclass(frozen=True)
class Formats:
    """`good` records of each sort, and among them `copies` of each kind of bad one."""

    stage: Stage
    good: int = 500
    copies: int = 5

    def first_run(self) -> Iterator[Line]:
        """Yields who can't go on stands still; the others have all that they have to have."""
        registry = Registry()
        with serving(registry):
            there = sorts(self._registered(registry))
            for name, of in there.items():
                self.stage.pipeline(name, shards=of.shards, columns=_columns(of), **of.options)
                self.stage.put(name, self._mixed(of, random.Random(name)))
            self._make_deciding()
            self.stage.access |= {"asks_glue": True}
            self.stage.run(status=STOPPED)
            found = self.stage.audit()
        yield from (Line(name, found[name], self._expected(of)) for name, of in there.items())
        yield from self._stopped(found)
        self._check_reasons(there)

    def decided(self) -> Iterator[Line]:
        """Letters are kept from now on, and the rejected rows accepted."""
        for name in [name for name in self.stage.streams if name not in (STOPS, REFUSES)]:
            del self.stage.streams[name]
        self.stage.streams[STOPS]["on_error"] = "dead_letter"
        for _ in range(self.copies):
            failed = [line for line in self.stage.log("shard.failed") if line["shard"].startswith(f"{REFUSES}/")]
            token = failed[-1]["next_step"].split("--accept-errors ")[1].split()[0]
            self.stage.ingest("resume", "--stream", REFUSES, "--accept-errors", token)
            if self.stage.ended("--available-now") == 0:
                break
        found, good, bad = self.stage.audit(), self.good, len(KINDS) * self.copies
        yield Line(f"{STOPS}: kept since", found[STOPS], Sums(records=good + bad, rows=good, dead_letters=bad))
        accepted = Sums(records=good + self.copies, rows=good, error_rows=self.copies)
        yield Line(f"{REFUSES}: accepted", found[REFUSES], accepted)

    def _registered(self, registry: Registry) -> Registries:
        def of_glue(name: str, kind: str, text: str) -> UUID:
            glue = self.stage.client("glue")
            made = glue.create_schema(SchemaName=name, DataFormat=kind, Compatibility="NONE", SchemaDefinition=text)
            return UUID(made["SchemaVersionId"])

        return Registries(
            url=registry.url,
            known=registry.register("orders", SCHEMA),
            no_record=registry.register("names", {"type": "string"}),
            glue=of_glue(self.stage.name, "AVRO", json.dumps(SCHEMA)),
            message=registry.register("messages", PROTO, kind="PROTOBUF"),
            glue_message=of_glue(f"{self.stage.name}-protobuf", "PROTOBUF", PROTO),
        )

    def _mixed(self, of: Sort, rng: random.Random) -> list[Put]:
        """Good ones in their order, and each of the others somewhere among them."""
        puts = [of.good(n) for n in range(self.good)]
        others = [*(bad.put for bad in of.bad.values()), *of.left_out.values(), *([of.empty] if of.empty else [])]
        for put in others * self.copies:
            puts.insert(rng.randrange(1, len(puts)), put)
        return puts

    def _expected(self, of: Sort) -> Sums:
        rows = self.good * of.rows + (self.copies if of.empty else 0)
        letters, left_out = len(of.bad) * self.copies, {str(why): self.copies for why in of.left_out}
        return Sums(records=rows + letters + sum(left_out.values()), rows=rows, dead_letters=letters, **left_out)

    def _check_reasons(self, there: Mapping[str, Sort]) -> None:
        """Checks the reasons of all letters. Raises SceneFailed."""
        found = self.stage.letters()
        for name, of in there.items():
            reasons = Counter(bad.why for bad in of.bad.values())
            expected = {str(why): self.copies * count for why, count in reasons.items()}
            if found[name] != expected:
                raise SceneFailed(f"{name}: letters {dict(found[name])}, not {expected}")

    # Those about which somebody decides

    def _make_deciding(self) -> None:
        numbers = f"{METADATA}, N NUMBER"
        self.stage.pipeline(SKIPS, on_error="skip", max_row_bytes=20_000)
        self.stage.pipeline(STOPS, on_error="stop", max_row_bytes=20_000)
        self.stage.pipeline(REFUSES, columns=numbers, tolerance="none")
        self.stage.pipeline(TOLERATES, columns=numbers, tolerance="all")
        for name, bad in ((SKIPS, KINDS), (STOPS, KINDS), (REFUSES, [NO_NUMBER]), (TOLERATES, [NO_NUMBER])):
            self.stage.put(name, self._among(bad))

    @property
    def _before(self) -> int:
        """The first bad ones come behind so many good ones."""
        return self.good // self.copies

    def _among(self, bad: Sequence[Put]) -> Iterator[Put]:
        for n in range(1, self.good + 1):
            yield Put(as_json(n))
            if n % self._before == 0:
                yield from bad

    def _stopped(self, found: Mapping[str, Sums]) -> Iterator[Line]:
        good, bad, before = self.good, len(KINDS) * self.copies, self._before
        yield Line(SKIPS, found[SKIPS], Sums(records=good + bad, rows=good, skipped=bad))
        yield Line(TOLERATES, found[TOLERATES], Sums(records=good + self.copies, rows=good, error_rows=self.copies))
        held = Sums(records=good + bad, rows=before, missing=good + bad - before)
        yield Line(f"{STOPS}: in front of the first", found[STOPS], held)
        told = {problem for stream, problem in self.stage.problems() if stream == REFUSES}
        if told != {"FL-3105"}:
            raise SceneFailed(f"{REFUSES}: stopped by {told}, not by FL-3105")
        refused = found[REFUSES]  # what was sent before the server's word came is there
        sent = {"rows": refused.rows, "error_rows": max(1, refused.error_rows)}
        missing = good + self.copies - sum(sent.values())
        yield Line(f"{REFUSES}: at the first", refused, Sums(records=good + self.copies, missing=missing, **sent))


def play(stage: Stage) -> Sequence[Line]:
    formats = Formats(stage)
    return [*formats.first_run(), *formats.decided()]


def _columns(of: Sort) -> str:
    """Returns columns as the stack makes them; content without a column of its own gets its columns by evolution."""
    if of.options.get("metadata", {}).get("form") != "columns":
        return METADATA
    metadata = {"metadata": of.options["metadata"]}
    pipeline = Pipeline.model_validate({"stream": "s", "database": "D", "schema": "S", **metadata})
    own = [f"{name} {type_}" for name, type_ in metadata_columns(pipeline).items()]
    return ", ".join([*own, "WHOLE VARIANT"])
