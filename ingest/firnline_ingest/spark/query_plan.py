"""Looks at the plan of a pipeline's query: narrow or refused, and never believed.

Spark's analyzed plan is walked from its sources up. What keeps a row in its place and follows from that row alone is on a list;
everything else is refused by its name. The row's `_position` has to be the very column that the rows came with.
"""

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError

from firnline_ingest.config.query import POSITION, TIME_OF_DAY
from firnline_ingest.datasource.plan import each_of, is_salted, unsteady

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LEAF = "LogicalRDD"
"""As Spark calls the pipeline's rows."""
NARROW = frozenset(
    (
        *("CTERelationDef", "CTERelationRef", "Filter", "PipeOperator", "Project", "ResolvedHint", "SubqueryAlias"),
        *("View", "WithCTE"),
    )
)
SEVERAL = frozenset(("Expand", "Generate"))
"""Operators that make several rows of one."""
CLOCKS = frozenset(("CurrentDate", "CurrentTime", "CurrentTimestamp", "LocalTimestamp", "Now"))
"""Expressions that are deterministic to Spark, and another time when a record is read again."""
DAYS = ("now", "today", "tomorrow", "yesterday")
"""Texts that Spark's optimizer makes a time of, when a constant is cast to one."""
TIMES = frozenset(("date", "timestamp", "timestamp_ntz"))
READ_BY_SCHEMA = frozenset(("CsvToStructs", "JsonToStructs", "VariantGet", "XmlToStructs"))
"""Expressions that make values of a text by a schema, times among them."""
WITHIN = re.compile(rf"[:<,](?:{'|'.join(TIMES)})\b")
"""A time within a type, as in `array<date>` and `struct<a:timestamp>`."""
SCRIPTS = ("CompoundBody", "ExecuteImmediate")
"""What runs statements while it is analyzed, as Spark's parser calls it."""
REASONS = {
    **dict.fromkeys(("Aggregate", "Distinct", "Deduplicate"), "it needs several records together"),
    **dict.fromkeys(("Join", "Intersect", "Except"), "it needs other rows than the record's own"),
    **dict.fromkeys(
        ("GlobalLimit", "LocalLimit", "Offset", "Tail", "Sample"), "a record may be there once, and not again"
    ),
    **dict.fromkeys(("Repartition", "RepartitionByExpression", "RebalancePartitions"), "rows leave their shard"),
    "Sort": "rows leave their order",
    "Union": "a record may be there twice; use CASE or several conditions",
    "Window": "it needs several records together",
}


def narrow_problems(
    frame: "DataFrame", rows: "DataFrame", *, makes_several_rows: bool, taken: Collection[str] = ()
) -> list[str]:
    """Returns why `frame` is not a narrow query over `rows`; nothing where it is. `taken` names the metadata's columns."""
    root, source = (each._jdf.queryExecution().analyzed() for each in (frame, rows))
    allowed = NARROW | SEVERAL if makes_several_rows else NARROW
    walk = _Walk(allowed, source, _java_class(frame.sparkSession, "expressions.RuntimeReplaceable"))
    walk.look(root)
    problems = walk.problems + _of_columns(frame, walk.ids_of(root), source, taken)
    if not problems and walk.leaves != 1:
        problems.append(f"it reads its rows {walk.leaves} times")
    return list(dict.fromkeys(problems or _of_optimized(frame)))


def command_problems(session: "SparkSession", text: str) -> list[str]:
    """Returns why the text is not a SELECT. Spark runs a command where it is told of it, before a plan can be looked at."""
    jvm: Any = session.sparkContext._jvm
    state: Any = session._jsparkSession.sessionState()
    parsed = state.sqlParser().parsePlan(text)
    if str(parsed.getClass().getSimpleName()).removeprefix("Unresolved").startswith(SCRIPTS):
        return ["it must be one SELECT, and is a script"]
    skipped = jvm.org.apache.spark.sql.execution.CommandExecutionMode.SKIP()
    analyzed = state.executePlan(parsed, skipped).analyzed()
    kind = _java_class(session, "plans.logical.Command")
    return [
        f"{node.nodeName()}: it must be a SELECT, and is a command"
        for node in _nodes(analyzed)
        if kind.isInstance(node)
    ]


def fingerprint(frame: "DataFrame") -> list[str]:
    """Returns the texts of the plan's operators and expressions, constants with them; not the columns' numbers."""
    found = []
    for node in _nodes(frame._jdf.queryExecution().analyzed()):
        found += [str(node.nodeName()), *(str(each.sql()) for each in each_of(node.expressions()))]
    return found


class _Walk:
    def __init__(self, allowed: Collection[str], source: Any, replaceable: Any) -> None:
        """`replaceable` is the class of what Spark replaces by other expressions before it computes a value."""
        self._allowed, self._rdd, self._replaceable = allowed, source.rdd().id(), replaceable
        own = [(int(each.exprId().id()), str(each.name())) for each in each_of(source.output())]
        self._own = {number for number, _ in own}
        self._position = next(number for number, name in own if name == POSITION)
        self._named: dict[int, list[int]] = {}
        """The columns of each CTE."""
        self._same: dict[int, int] = {}
        """Columns of a reference to a CTE, and whose they are."""
        self.problems: list[str] = []
        self.leaves = 0

    def look(self, node: Any) -> None:
        name = str(node.nodeName())
        if node.subqueries().nonEmpty():
            self.problems.append("a subquery: what it finds may change")
        children = list(each_of(node.children()))
        if name == LEAF:
            self.leaves += 1
            if not set(self.ids_of(node)) <= self._own or node.rdd().id() != self._rdd:
                self.problems.append(f"{name}: it is not the pipeline's rows")
        elif name in SEVERAL and name not in self._allowed:
            self.problems.append(
                f"{name}: it makes several rows of one, and the pipeline's format makes one of a record"
            )
        elif name not in self._allowed:
            reads = (
                "it reads something else than the pipeline's rows" if not children else "it is not known to be narrow"
            )
            self.problems.append(f"{name}: {REASONS.get(name, reads)}")
        for child in children:
            self.look(child)
        self._look_at_name(node, name)
        for expression in each_of(node.expressions()):
            self._look_at(expression)

    def ids_of(self, node: Any) -> list[int]:
        """The numbers of its columns; of a CTE's those that they have in it."""
        found = (int(each.exprId().id()) for each in each_of(node.output()))
        return [self._same.get(each, each) for each in found]

    def _look_at_name(self, node: Any, name: str) -> None:
        if name == "CTERelationDef":
            self._named[int(node.id())] = self.ids_of(node)
        elif name == "CTERelationRef":
            known = self._named.get(int(node.cteId()), ())
            self._same.update(zip(self.ids_of(node), known, strict=False))

    def _look_at(self, expression: Any) -> None:
        if not expression.deterministic():
            self.problems += [f"{each.sql()}: it is another value each time" for each in unsteady(expression)]
        is_bare = _class_of(expression) == "AttributeReference"
        for each in self._parts(expression):
            if why := self._why_not(each, _class_of(each), is_bare=is_bare):
                self.problems.append(f"{each.sql()}: {why}")

    def _parts(self, expression: Any) -> Iterator[Any]:
        yield expression
        for child in each_of(expression.children()):
            yield from self._parts(child)
        if self._replaceable.isInstance(expression):
            yield from self._parts(expression.replacement())

    def _why_not(self, part: Any, kind: str, *, is_bare: bool) -> str:
        if kind in CLOCKS:
            return "it is another time when a record is read again; use a time of the record, or metadata's push_time"
        if kind == "AesEncrypt" and is_salted(part):
            return "its initialization vector is another one each time; give one, or a hash"
        if (kind == "Cast" and _is_of_the_clock(part)) or (kind in READ_BY_SCHEMA and _has_times_of_a_constant(part)):
            return "it is another time when a record is read again; write the time itself"
        if kind == "AttributeReference" and not is_bare:
            number = int(part.exprId().id())
            if self._same.get(number, number) == self._position:
                return "it is another number when a record is read again; pass it on as it is, and use it for nothing"
        return ""


def _of_columns(frame: "DataFrame", ids: list[int], source: Any, taken: Collection[str]) -> list[str]:
    (own,) = (int(each.exprId().id()) for each in each_of(source.output()) if each.name() == POSITION)
    found = [number for name, number in zip(frame.columns, ids, strict=True) if name.lower() == POSITION]
    problems = []
    if not found:
        problems.append(f"it drops {POSITION}, by which a row is known as its record's; add it to the SELECT")
    elif len(found) > 1:
        problems.append(f"it has {POSITION} {len(found)} times")
    elif found[0] != own:
        problems.append(f"it makes {POSITION} itself; pass the rows' own on as it is, without a name or a function")
    names = [name for name in frame.columns if name.lower() != POSITION]
    if not names:
        problems.append(f"it has no column but {POSITION}")
    metadata = {name.upper() for name in taken}
    problems += [f"{name} is a metadata column; rename one" for name in names if name.upper() in metadata]
    twice = sorted({name for name in names if sum(name.upper() == each.upper() for each in names) > 1})
    return problems + [f"it has two columns {name}" for name in twice]


def _of_optimized(frame: "DataFrame") -> list[str]:
    """Says whether Spark's optimizer left the rows in: without them no task would run."""
    plan: Any = frame._jdf.queryExecution().optimizedPlan()
    leaves = {str(leaf.nodeName()) for leaf in each_of(plan.collectLeaves())}
    if LEAF in leaves:
        return []
    if any(leaf.startswith("InMemoryRelation") for leaf in leaves):
        return ["it is cached, and each round has other rows; leave cache() and persist() out"]
    return ["one of its conditions is never true, so no record would become a row"]


def _is_of_the_clock(cast: Any) -> bool:
    """Returns whether it makes a time of a constant that means the present one."""
    of = cast.child()
    made, given = str(cast.dataType().simpleString()), str(of.dataType().simpleString())
    if not of.foldable():
        return False
    if WITHIN.search(made):  # its texts are not looked for
        return "string" in given
    if made not in TIMES or not given.startswith("string"):
        return False
    try:
        text = str(of.eval(None)).strip()
    except Py4JError:  # a function that Spark replaces before it computes one
        return True
    is_of_this_day = made == "timestamp" and re.match(TIME_OF_DAY, text) is not None
    return is_of_this_day or text.lower().startswith(DAYS)


def _has_times_of_a_constant(reading: Any) -> bool:
    """Returns whether it makes times of a constant text, in which they are not looked for."""
    texts = [each for each in each_of(reading.children()) if each.foldable()]
    made = str(reading.dataType().simpleString())
    is_of_a_constant = len(texts) == len(list(each_of(reading.children())))
    return is_of_a_constant and (made in TIMES or WITHIN.search(made) is not None)


def _class_of(expression: Any) -> str:
    return str(expression.getClass().getSimpleName())


def _nodes(plan: Any) -> Iterator[Any]:
    yield plan
    for child in each_of(plan.children()):
        yield from _nodes(child)


def _java_class(session: "SparkSession", name: str) -> Any:
    jvm: Any = session.sparkContext._jvm
    return jvm.java.lang.Class.forName(f"org.apache.spark.sql.catalyst.{name}")
