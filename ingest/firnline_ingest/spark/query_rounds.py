"""Epochs in which Spark runs pipelines' queries, on the driver: round after round over the pages that the shards have read.

A round is one Spark job a pipeline, of one stage: the process that has a group's shards -> the query -> the process that brings
the rows back. The shards' channels, ledger and dead letters are where they always are (docs/design/engine.md).
"""

import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark import SparkContext
from pyspark.core.rdd import RDD
from pyspark.errors import AnalysisException, IllegalArgumentException, ParseException, PySparkException
from pyspark.serializers import UTF8Deserializer

from firnline_ingest.config.callables import load_callable
from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.config.query import POSITION, ROWS
from firnline_ingest.errors import FirnlineError
from firnline_ingest.spark.assignment import Assignment
from firnline_ingest.spark.errors import QueryNotNarrow, QueryRoundFailed
from firnline_ingest.spark.jvm import is_jvm_gone
from firnline_ingest.spark.placement import placed_bytes, run_in_own_workers
from firnline_ingest.spark.query_causes import LONGEST_CAUSE, cause_of, cause_of_attempts, first_line
from firnline_ingest.spark.query_isolation import Document, Isolation, decision, raised_words
from firnline_ingest.spark.query_plan import command_problems, fingerprint, narrow_problems
from firnline_ingest.spark.query_task import (
    CONFIRMED,
    back_partition,
    decide_partition,
    feed_order,
    feed_partition,
    gather_partition,
    with_position,
)
from firnline_ingest.spark.task import begin_partition

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

ROUND_S = 1.0
"""From the beginning of a round to that of the next, because a job costs the same whatever it brings; none after a full page,
which costs more than a job, and behind which the next one waits.
"""
WRITTEN = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}
"""As JSON has times, to the microsecond; Spark's own form ends with the millisecond."""

log = logging.getLogger(__name__)

Order = tuple[int, str, str]
"""The number of a group, its location, and what its task is told (`feed_order`)."""
Task = tuple[int, str, Assignment]
"""The number of a group, its location, and its shards of one epoch."""


@dataclass(slots=True)
class StreamQuery:
    """The query of one stream, in a session of its own, whose view `rows` is nobody else's."""

    pipeline: PipelineConfig
    session: "SparkSession"
    schema: "StructType"
    _plan: Sequence[str] = ()
    """What a function made at the start; it has to make the same each time."""
    _orders: Sequence[Order] = ()
    _round: "RDD[str] | None" = None
    """The round of these orders: planned once, because that takes longer than to run it over a few rows."""

    @classmethod
    def of(cls, spark: "SparkSession", pipeline: PipelineConfig) -> "StreamQuery":
        """Raises QueryNotNarrow for a schema that Spark does not know, and ConfigError for one that no record fills."""
        from pyspark.sql.types import StructType

        from firnline_ingest.spark.query_schema import refuse_schema  # only such an engine loads what it needs

        assert pipeline.query is not None, "only such a pipeline has rounds"
        session = spark.newSession()
        session.conf.set("spark.sql.session.timeZone", "UTC")
        session.conf.set("spark.sql.ansi.enabled", "true")
        try:
            schema = StructType.fromDDL(pipeline.query.schema_)
        except PySparkException as error:
            raise QueryNotNarrow(pipeline.stream, [f"schema: {first_line(error)}"]) from error
        if not isinstance(schema, StructType):
            raise QueryNotNarrow(
                pipeline.stream, [f"schema: {pipeline.query.schema_} must be a list of columns: name TYPE, name TYPE"]
            )
        refuse_schema(schema, f"query of {pipeline.stream}")
        made = cls(pipeline, session, schema)
        made.look()
        return made

    def look(self) -> None:
        """Looks at the plan over rows that are not there, before any shard is opened. Raises QueryNotNarrow."""
        context: Any = self.session.sparkContext
        rows = self._frame(context._jsc.emptyRDD())
        with self._explained():
            if self.pipeline.query is not None and self.pipeline.query.sql is not None:
                rows.createOrReplaceTempView(ROWS)
                if problems := command_problems(self.session, self.pipeline.query.sql):
                    raise QueryNotNarrow(self.pipeline.stream, problems)
            self._look_at(made := self._made(rows), rows)
            self._plan = fingerprint(made)
            before = _jobs(context)
            self._look_at_again(self._made(rows))
            if _jobs(context) > before:
                raise QueryNotNarrow(
                    self.pipeline.stream, ["its function runs a job of its own: leave count(), collect() and such out"]
                )
            self._written(context, made)

    def run(self, orders: Sequence[Order], confirmed: Sequence[str]) -> list[dict[str, Any]]:
        """Runs one round and returns the answer of each task, which hears of the rounds that are confirmed. Raises QueryNotNarrow
        and QueryRoundFailed, and Spark's own end."""
        context = self.session.sparkContext
        answers = self._planned(context, orders)
        try:
            context.setLocalProperty(CONFIRMED, json.dumps(confirmed))
            found = [json.loads(answer) for answer in answers.collect()]
        except (Py4JJavaError, PySparkException) as error:
            raise QueryRoundFailed(self.pipeline.stream, cause_of(error)) from error
        if any(answer["attempt"] for answer in found):
            # Spark ends the process whose task failed, and the next attempt's begins without the pages: it succeeds with nothing
            raise QueryRoundFailed(self.pipeline.stream, cause_of_attempts(context))
        if len(found) != len(orders):
            raise QueryNotNarrow(self.pipeline.stream, [f"{len(orders)} tasks were planned, and {len(found)} have run"])
        return found

    def _planned(self, context: SparkContext, orders: Sequence[Order]) -> "RDD[str]":
        """Raises QueryNotNarrow and QueryRoundFailed."""
        if self._round is None or self._orders != orders:
            self._round = None
            written = self._query(self._rows(context, orders))
            run_id = json.loads(orders[0][2])["run_id"]
            self._round, self._orders = written.mapPartitions(partial(back_partition, run_id=run_id)), orders
        return self._round

    def rows_of(self, documents: Sequence[Document]) -> list[tuple[int, str]]:
        """Returns the rows of these objects with their positions. Raises QueryNotNarrow and QueryRoundFailed."""
        context: Any = self.session.sparkContext
        lines = "\n".join(with_position(position, text.encode()).decode() for position, text in documents)
        texts = context._jvm.java.util.regex.Pattern.compile("\n").splitAsStream(lines).toList()
        written = self._query(self._frame(context._jsc.parallelize(texts, 1)))
        try:
            found = [row.decode().partition(" ") for row in written.collect()]
        except (Py4JJavaError, PySparkException) as error:
            said = str(error.java_exception.toString()) if isinstance(error, Py4JJavaError) else str(error)
            raise QueryRoundFailed(self.pipeline.stream, cause_of(error), raised_words(said)) from error
        return [(int(position), row) for position, _, row in found]

    def _query(self, rows: "DataFrame") -> "RDD[bytes]":
        with self._explained():
            made = self._made(rows)
            if self.pipeline.query is not None and self.pipeline.query.function is not None:
                self._look_at(made, rows)
                self._look_at_again(made)
            return self._written(self.session.sparkContext, made)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Makes what analysis or the user's own function raises this pipeline's problem, and no other's."""
        try:
            yield
        except (FirnlineError, Py4JNetworkError):
            raise
        except (AnalysisException, ParseException, IllegalArgumentException) as error:
            raise QueryNotNarrow(self.pipeline.stream, [first_line(error)]) from error
        except (Exception, SystemExit) as error:
            if is_jvm_gone():
                raise
            if isinstance(error, (Py4JError, PySparkException)):
                raise QueryRoundFailed(self.pipeline.stream, cause_of(error)) from error
            said = f"{type(error).__name__}: {error}"[:LONGEST_CAUSE]
            raise QueryNotNarrow(self.pipeline.stream, [f"its function raised {said}"]) from error

    def _rows(self, context: SparkContext, orders: Sequence[Order]) -> "DataFrame":
        """The pages of all groups, a partition each."""
        jvm: Any = context._jvm
        parts = [placed_bytes(context, feed_partition, order).map(jvm.BytesToString()) for order in orders]
        texts = parts[0]
        for part in parts[1:]:
            texts = texts.union(part)
        return self._frame(texts)

    def _frame(self, texts: Any) -> "DataFrame":
        """The columns of the schema with their position, of the JVM's RDD of JSON."""
        from pyspark.sql.types import LongType, StructField, StructType

        jvm: Any = self.session.sparkContext._jvm
        whole = StructType([StructField(POSITION, LongType()), *self.schema.fields])
        reader: Any = self.session.read.schema(whole).option("mode", "FAILFAST")
        session: Any = self.session
        strings = session._jsparkSession.createDataset(texts.rdd(), jvm.org.apache.spark.sql.Encoders.STRING())
        frame: DataFrame = reader._df(reader._jreader.json(strings))
        return frame

    def _made(self, rows: "DataFrame") -> "DataFrame":
        """Raises QueryNotNarrow, CallableUnusable, and what Spark's analysis raises."""
        from pyspark.sql import DataFrame

        query = self.pipeline.query
        assert query is not None, "only such a pipeline has rounds"
        if query.sql is not None:
            rows.createOrReplaceTempView(ROWS)
            return self.session.sql(query.sql)
        assert query.function is not None, "one of both is given"
        made = load_callable(query.function)(rows)
        if not isinstance(made, DataFrame):
            raise QueryNotNarrow(
                self.pipeline.stream, [f"{query.function} returned {type(made).__name__}, not a DataFrame"]
            )
        return made

    def _look_at(self, made: "DataFrame", rows: "DataFrame") -> None:
        of = self.pipeline
        several, taken = of.format.makes_several_rows, of.metadata_keys
        if problems := narrow_problems(made, rows, makes_several_rows=several, taken=taken):
            raise QueryNotNarrow(of.stream, problems)

    def _look_at_again(self, made: "DataFrame") -> None:
        if (found := fingerprint(made)) != self._plan:
            changed = sorted(set(found) - set(self._plan)) or ["an operator"]
            raise QueryNotNarrow(
                self.pipeline.stream, [f"{each}: the function made something else before" for each in changed]
            )

    @staticmethod
    def _written(context: SparkContext, made: "DataFrame") -> "RDD[bytes]":
        """Each row as its position, a blank, and its other columns as JSON without those that are NULL."""
        from pyspark.sql import functions as sql

        jvm: Any = context._jvm
        columns = [made[f"`{name.replace('`', '``')}`"] for name in made.columns if name.lower() != POSITION]
        text = sql.concat(made[POSITION].cast("string"), sql.lit(" "), sql.to_json(sql.struct(*columns), WRITTEN))
        frame: Any = made.select(text.alias("value"))
        strings = getattr(frame._jdf, "as")(jvm.org.apache.spark.sql.Encoders.STRING()).toJavaRDD()
        texts: Any = UTF8Deserializer
        return RDD(strings, context, texts(use_unicode=False))


@dataclass(slots=True)
class QueryEpochs:
    """The queries of one run, and what of their rounds has succeeded."""

    spark: "SparkSession"
    config: EngineConfig
    clock: Callable[[], float] = time.monotonic
    pause: Callable[[float], None] = time.sleep
    _queries: dict[str, StreamQuery] = field(default_factory=dict)
    _confirmed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Of each stream, the rounds of its last job."""
    failed: dict[str, FirnlineError] = field(default_factory=dict)
    """Of each stream whose last round failed, why."""
    _isolations: dict[str, Isolation] = field(default_factory=dict)

    def streams(self, streams: Iterable[str]) -> list[str]:
        """Returns those with a query."""
        return sorted({each for each in streams if self.config.pipeline_of(each).query is not None})

    @property
    def confirmed(self) -> tuple[str, ...]:
        return tuple(token for tokens in self._confirmed.values() for token in tokens)

    @property
    def schemas(self) -> dict[str, str]:
        """The schemas as Assignment has them."""
        return {
            each.pipeline.query.schema_: each.schema.json()
            for each in self._queries.values()
            if each.pipeline.query is not None
        }

    def prepare(self, streams: Iterable[str], rests: Callable[[str], bool]) -> Mapping[str, FirnlineError]:
        """Makes what the streams' rounds need; the problems of those that have none: they can't, or have failed and rest."""
        problems = {}
        for stream in self.streams(streams):
            if stream in self.failed and rests(stream):
                problems[stream] = self.failed[stream]
                continue
            pipeline = self.config.pipeline_of(stream)
            known = self._queries.get(stream)
            if known is None or known.pipeline != pipeline:
                try:
                    self._queries[stream] = StreamQuery.of(self.spark, pipeline)
                    self._isolations.pop(stream, None)
                except FirnlineError as error:
                    problems[stream] = error
        return problems

    def run(self, tasks: Sequence[Task], seconds: float) -> Mapping[str, FirnlineError]:
        """Round after round, until the time is over, no shard with a query is read any more, or a stop is wanted. The problems of
        streams whose rounds failed; their pages wait on."""
        ends_s = self.clock() + seconds
        items = [(number, where, assignment.to_json()) for number, where, assignment in tasks]
        run_in_own_workers(self.spark.sparkContext, begin_partition, items)
        going_on = self.streams({shard.stream for _, _, assignment in tasks for shard in assignment.shards})
        problems: dict[str, FirnlineError] = {}
        while going_on and (began_s := self.clock()) < ends_s:
            answers = [each for stream in list(going_on) for each in self._round(stream, tasks, problems)]
            going_on = [stream for stream in going_on if stream not in problems]
            if any(each["is_stop_wanted"] for each in answers) or all(each["is_over"] for each in answers):
                break
            if not any(each["is_full"] for each in answers):
                self.pause(max(0.0, min(ROUND_S - (self.clock() - began_s), ends_s - self.clock())))
        return problems

    def _round(self, stream: str, tasks: Sequence[Task], problems: dict[str, FirnlineError]) -> list[dict[str, Any]]:
        orders = list(self._orders(stream, tasks))
        try:
            answers = self._answers(stream, orders)
        except Py4JNetworkError:
            raise
        except FirnlineError as error:
            problems[stream] = self.failed[stream] = error
            log.warning("pipeline.query_failed", extra={"stream": stream, "problem": error.id, "cause": error.what})
            return []
        self.failed.pop(stream, None)
        return answers

    def _answers(self, stream: str, orders: Sequence[Order]) -> list[dict[str, Any]]:
        """Runs a round. Raises QueryRoundFailed for what is not a record's doing, QueryNotNarrow, and Spark's end."""
        query, isolation = self._queries[stream], self._isolations.get(stream)
        if isolation is None or not isolation.is_at_work:
            try:
                answers = query.run(orders, self.confirmed)
            except QueryRoundFailed as error:
                if error.was_cancelled:
                    raise
                isolation = self._isolations.setdefault(stream, Isolation(query.rows_of))
                isolation.begin()
                log.info("pipeline.query_isolated", extra={"stream": stream, "cause": error.cause})
            else:
                self._confirmed[stream] = tuple(each["token"] for each in answers)
                return answers
        try:
            return self._isolated(isolation, orders)
        except (Py4JJavaError, PySparkException) as error:
            raise QueryRoundFailed(stream, cause_of(error)) from error

    def _isolated(self, isolation: Isolation, orders: Sequence[Order]) -> list[dict[str, Any]]:
        """A round by way of the driver."""
        context = self.spark.sparkContext
        context.setLocalProperty(CONFIRMED, json.dumps(self.confirmed))
        chosen = isolation.places(len(orders))
        asked = [
            (number, where, json.dumps({**json.loads(order), "most_pages": int(place in chosen)}))
            for place, (number, where, order) in enumerate(orders)
        ]
        gathered = [json.loads(answer) for answer in run_in_own_workers(context, gather_partition, asked)]
        found = isolation.pages([[(position, text) for position, text in each["documents"]] for each in gathered])
        decisions = [
            (*orders[place][:2], decision(orders[place][2], gathered[place]["token"], decided))
            for place, decided in found.items()
        ]
        if decisions:
            run_in_own_workers(context, decide_partition, decisions)
        return gathered

    def _orders(self, stream: str, tasks: Sequence[Task]) -> Iterator[Order]:
        for number, where, assignment in tasks:
            if any(shard.stream == stream for shard in assignment.shards):
                yield number, where, feed_order(assignment, stream)


def _jobs(context: SparkContext) -> int:
    """Returns how many there were so far."""
    scheduler: Any = context._jsc.sc().dagScheduler()
    return int(scheduler.numTotalJobs())
