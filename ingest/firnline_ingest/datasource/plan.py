"""Looks at a DataFrame's plan: whether a batch has the same rows, in the same order and partitions, each time that Spark runs it.

Spark's analyzed plan is walked, from its sources up. What is not on a list of this file is refused by its name: nobody has
thought about it. Functions in Python are what they are declared: Spark can't look into them, and `asNondeterministic()` says it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from firnline_ingest.datasource.snowpipe.errors import PlanNotReplayable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

REPEATABLE = frozenset(("kafka", "kinesis"))
"""Streaming sources whose batch is the same between the same offsets, in the same partitions."""
PACKED = frozenset(("avro", "csv", "delta", "json", "orc", "parquet", "text", "xml"))
"""Sources of files: the same rows, in partitions that depend on the number of cores, unless PACKED_FOR says a number."""
PACKED_FOR = "spark.sql.files.minPartitionNum"
ADAPTIVE = "spark.sql.adaptive.streaming.stateless.enabled"
"""From Spark 4.1 on: partitions of streaming queries without state are put together by size and by the number of cores."""
GENERATED = frozenset(("LocalRelation", "OneRowRelation", "Range"))
"""Leaves whose rows are in the plan itself."""
STREAMS = frozenset(("StreamingRelation", "StreamingRelationV2"))
IN_PLACE = frozenset(
    (
        "CTERelationDef",
        "CTERelationRef",
        "CollectMetrics",
        "EventTimeWatermark",
        "Expand",
        "Filter",
        "Generate",
        "PipeOperator",
        "Project",
        "ResolvedHint",
        "SubqueryAlias",
        "Union",
        "View",
        "WithCTE",
    )
)
"""Operators that leave rows in their partition and in their order."""
BY_PARTITION = frozenset(("MapInArrow", "MapInPandas"))
"""Functions over all rows of a partition: what they return may follow from the order."""
DEDUPLICATIONS = frozenset(("Deduplicate", "DeduplicateWithinWatermark"))
SHUFFLES = DEDUPLICATIONS | {"Aggregate", "Distinct", "Join", "Repartition", "RepartitionByExpression"}
"""Operators whose partitions have the same rows each time, in any order."""
AGGREGATES = frozenset(
    ("BitAndAgg", "BitOrAgg", "BitXorAgg", "BoolAnd", "BoolOr", "Count", "CountIf", "HyperLogLogPlusPlus", "Max", "Min")
)
"""Aggregate functions that are the same in any order."""
EXACT = {
    "Average": ("tinyint", "smallint", "int", "decimal"),
    "Sum": ("bigint", "tinyint", "smallint", "int", "decimal"),
}
"""Those that are, of these types: floating-point numbers are rounded as they are added, and an average adds BIGINT as such."""
CLOCKS = frozenset(("CurrentTime", "Now"))
"""Deterministic to Spark, and yet another time when a batch is run again: its MicroBatchExecution keeps CurrentTimestamp,
CurrentDate and LocalTimestamp with the batch, and not these.
"""
REASONS: Mapping[str, str] = {
    **dict.fromkeys(
        ("GlobalLimit", "LocalLimit", "Offset", "Tail"),
        "which rows come first may change, and a batch of Kinesis has to be used whole",
    ),
    "Sample": "another run of the program draws other rows",
    "Window": "rows that its order does not tell apart change places",
    "Intersect": "write it as a join",
    "Except": "write it as a join",
    "RebalancePartitions": "Spark cuts its partitions by size",
}
FIRMLY = "sortWithinPartitions over all columns behind it makes the order firm"

Node = Any
"""A node of a plan, or an expression, of the JVM."""


def replayable(frame: "DataFrame", *, sources: Collection[str] = ()) -> "DataFrame":
    """Returns the frame, with a mark that the sink looks for. Raises PlanNotReplayable with every reason why a batch of it may
    have other rows when it is run again.

    The mark is that of this plan: a DataFrame that is made of the returned one has none. `sources` names further sources whose
    rows are the same each time, as their formats or tables are called.
    """
    looked_at = getattr(frame, "_jdf", None)
    if looked_at is None:
        raise PlanNotReplayable(["Spark Connect does not show the plan"])
    walk = _Walk({name.lower() for name in sources}, frame)
    root = looked_at.queryExecution().analyzed()
    if not walk.is_firm(root) and not walk.problems:
        walk.problems.append(f"{walk.loosened_by}: it leaves the rows of a partition in any order; {FIRMLY}")
    if walk.problems:
        raise PlanNotReplayable(list(dict.fromkeys(walk.problems)))
    from firnline_ingest.datasource.checked_frame import CheckedFrame

    return CheckedFrame.of(frame)


class _Walk:
    def __init__(self, sources: Collection[str], frame: "DataFrame") -> None:
        self._sources = sources
        self._is_streaming = frame.isStreaming
        conf = frame.sparkSession.conf
        self._is_packed_alike = PACKED_FOR in conf.getAll
        self._is_adaptive = _is_on(conf, ADAPTIVE) and _is_on(conf, "spark.sql.adaptive.enabled")
        self.problems: list[str] = []
        self.loosened_by = ""
        """The last operator that gave up the order."""

    def is_firm(self, node: Node) -> bool:
        """Returns whether the rows of each partition come in the same order each time; notes what makes them others."""
        name = str(node.nodeName())
        self._look_at_expressions(node)
        children = list(each_of(node.children()))
        if not children:
            self._look_at_leaf(node, name)
            return not (name == "LogicalRDD" and self._is_shuffled(node.rdd()))
        firm = [self.is_firm(child) for child in children]
        is_firm = all(firm)
        if name == "Sort":
            return self._sorted(node, is_firm)
        if name in IN_PLACE:
            return is_firm
        if name in BY_PARTITION:
            if not is_firm:
                self.problems.append(f"{name}: it gets the rows of {self.loosened_by} in any order; {FIRMLY}")
            return True
        self._look_at_shuffle(node, name)
        self.loosened_by = name
        return False

    def _look_at_expressions(self, node: Node) -> None:
        for expression in each_of(node.expressions()):
            if not expression.deterministic():
                self.problems += [f"{each.sql()}: it is another value each time" for each in unsteady(expression)]
            for salted in below(expression, is_salted):
                self.problems.append(
                    f"{salted.sql()}: its initialization vector is another one each time; give one, or a hash"
                )
            for clock in below(expression, _is_clock) if self._is_streaming else ():
                self.problems.append(f"{clock.sql()}: it is not kept with the batch; current_timestamp() is")
        if node.subqueries().nonEmpty():
            self.problems.append("a subquery: what it finds may change; write it as a join")

    def _look_at_leaf(self, node: Node, name: str) -> None:
        if name in GENERATED or name == "CTERelationRef" or (not self._is_streaming and name not in STREAMS):
            return  # all tasks of a batch write have what its job has planned
        source = _source(node, name)
        known = source.lower()
        if known in self._sources or (name in STREAMS and known in REPEATABLE):
            return
        if name in STREAMS and known in PACKED:
            if not self._is_packed_alike:
                self.problems.append(f"{source}: its files are packed for the cores that there are; set {PACKED_FOR}")
            return
        why = "whether a batch of it can be read again" if name in STREAMS else "whether it changes between two runs"
        self.problems.append(f"{source}: {why} is not known; sources=[{source!r}] says that it has the same rows")

    def _is_shuffled(self, rdd: Node) -> bool:
        """Returns whether the rows of an RDD come by way of a shuffle, which a task that is tried again reads in any order. One
        with a checkpoint comes from there."""
        waiting, seen = [rdd], {rdd.id()}
        while waiting:
            for each in each_of(waiting.pop().dependencies()):
                if str(each.getClass().getSimpleName()) == "ShuffleDependency":
                    self.loosened_by = "an RDD that was shuffled"
                    return True
                if (before := each.rdd()).id() not in seen:
                    seen.add(before.id())
                    waiting.append(before)
        return False

    def _sorted(self, node: Node, is_firm: bool) -> bool:
        if getattr(node, "global")():
            self.problems.append("Sort: where its partitions end is sampled; sortWithinPartitions stays in them")
            return False
        by = (order.child() for order in each_of(node.order()))
        covered = {each.exprId().id() for each in by if _is_a(each, "AttributeReference")}
        return is_firm or all(each.exprId().id() in covered and _is_told_apart(each) for each in each_of(node.output()))

    def _look_at_shuffle(self, node: Node, name: str) -> None:
        look = {
            "Aggregate": self._aggregate,
            "Repartition": self._repartition,
            **dict.fromkeys(DEDUPLICATIONS, self._unique),
        }
        if name not in SHUFFLES:
            self.problems.append(f"{name}: {REASONS.get(name, 'it is not known to give the same rows each time')}")
        elif name in look:
            look[name](node, name)
        elif self._is_adaptive and self._is_streaming and _is_adapted(node, name):
            self.problems.append(
                f"{name}: Spark puts its partitions together by size and cores; set {ADAPTIVE} to false"
            )
        if name == "RepartitionByExpression" and any(
            _is_a(each, "SortOrder") for each in each_of(node.partitionExpressions())
        ):
            self.problems.append(f"{name}: where its ranges end is sampled; repartition by columns")

    def _aggregate(self, node: Node, _: str) -> None:
        for key in each_of(node.groupingExpressions()):
            if not _is_told_apart(key):
                self.problems.append(
                    f"{key.sql()}: which of the equal values a group is named by may change; see COLLATE"
                )
        for expression in each_of(node.aggregateExpressions()):
            for each in below(expression, lambda found: _is_a(found, "AggregateExpression")):
                self._aggregate_function(each)

    def _aggregate_function(self, expression: Node) -> None:
        function = expression.aggregateFunction()
        name = str(function.getClass().getSimpleName())
        kinds = [str(each.dataType().simpleString()).partition("(")[0] for each in each_of(function.children())]
        if name in EXACT and not all(kind in EXACT[name] for kind in kinds):
            self.problems.append(
                f"{expression.sql()}: numbers are rounded as they are added, in any order; cast to DECIMAL"
            )
        elif name not in EXACT and not (name in AGGREGATES and all(map(_is_told_apart, each_of(function.children())))):
            self.problems.append(f"{expression.sql()}: it is not known to be the same in any order")

    def _repartition(self, node: Node, name: str) -> None:
        if not node.shuffle():
            self.problems.append(f"{name}: coalesce may put other partitions together; repartition, and sort in them")

    def _unique(self, node: Node, name: str) -> None:
        keys = {each.exprId().id() for each in each_of(node.keys())}
        if any(each.exprId().id() not in keys for each in each_of(node.output())):
            self.problems.append(f"{name}: which of the rows with equal keys stays may change; name all columns")


def _is_on(conf: Any, name: str) -> bool:
    try:
        return str(conf.get(name)) == "true"
    except Exception:  # a Spark that does not know it has not got what it is about
        return False


def _is_a(node: Node, name: str) -> bool:
    return str(node.nodeName()) == name


def _is_adapted(node: Node, name: str) -> bool:
    """Returns whether adaptive execution may change the partitions: not a number that was given, nor of what has state."""
    if name == "Join":
        return not (node.left().isStreaming() and node.right().isStreaming())
    return name == "RepartitionByExpression" and bool(node.optNumPartitions().isEmpty())


def _source(node: Node, name: str) -> str:
    """Returns what a source is called: its format, or its table."""
    if name == "StreamingRelationV2":
        return str(node.sourceName())
    if name == "StreamingRelation":
        return str(node.dataSource().className()).rpartition(".")[2]
    before, _, behind = str(node.simpleString(60)).removeprefix("Relation").partition("[")
    return before.strip() or behind.rpartition("]")[2].strip() or name


def unsteady(expression: Node) -> Iterator[Node]:
    """The lowest expressions below which everything is the same each time."""
    lower = [child for child in each_of(expression.children()) if not child.deterministic()]
    if not lower:
        yield expression
    for child in lower:
        yield from unsteady(child)


def below(expression: Node, is_wanted: Callable[[Node], bool]) -> Iterator[Node]:
    if is_wanted(expression):
        yield expression
    for child in each_of(expression.children()):
        yield from below(child, is_wanted)


def is_salted(expression: Node) -> bool:
    """Returns whether it encrypts with a random vector, which Spark calls deterministic."""
    if str(expression.getClass().getSimpleName()) != "AesEncrypt":
        return False
    mode, vector = (str(expression.children().apply(place).sql()) for place in (2, 4))
    return "''" in vector and mode.upper() != "'ECB'"


def _is_clock(expression: Node) -> bool:
    return str(expression.getClass().getSimpleName()) in CLOCKS


def _is_told_apart(value: Node) -> bool:
    """Returns whether a sort tells any two values of it apart: by a collation it may not."""
    return "collate" not in str(value.dataType().simpleString())


def each_of(found: Node) -> Iterator[Node]:
    """The items of a Seq of Scala's."""
    return (found.apply(number) for number in range(found.size()))
