"""Looks at the plan of a pipeline's query: narrow or refused, and never believed.

Spark's analyzed plan is walked from its sources up. What keeps a row in its place and follows from that row alone is on a list;
everything else is refused by its name. The row's `_position` has to be the very column that the rows came with.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from firnline_ingest.config.query import POSITION
from firnline_ingest.datasource.plan import below, each_of, is_salted, unsteady

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LEAF = "LogicalRDD"
"""As Spark calls the pipeline's rows."""
NARROW = frozenset(
    ("CTERelationDef", "CTERelationRef", "Filter", "Project", "ResolvedHint", "SubqueryAlias", "View", "WithCTE")
)
SEVERAL = frozenset(("Expand", "Generate"))
"""Operators that make several rows of one."""
CLOCKS = frozenset(("CurrentDate", "CurrentTime", "CurrentTimestamp", "LocalTimestamp", "Now"))
"""Expressions that are deterministic to Spark, and another time when a record is read again."""
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
    walk = _Walk(allowed, {each.exprId().id() for each in each_of(source.output())})
    walk.look(root)
    problems = walk.problems + _of_columns(frame, root, source, taken)
    if not problems and walk.leaves != 1:
        problems.append(f"it reads its rows {walk.leaves} times")
    if not problems and not _reads_rows(frame):
        problems.append("one of its conditions is never true, so no record would become a row")
    return list(dict.fromkeys(problems))


class _Walk:
    def __init__(self, allowed: Collection[str], own: Collection[int]) -> None:
        self._allowed, self._own = allowed, own
        self.problems: list[str] = []
        self.leaves = 0

    def look(self, node: Any) -> None:
        name = str(node.nodeName())
        for expression in each_of(node.expressions()):
            self._look_at(expression)
        if node.subqueries().nonEmpty():
            self.problems.append("a subquery: what it finds may change")
        children = list(each_of(node.children()))
        if name == LEAF:
            self.leaves += 1
            if not {each.exprId().id() for each in each_of(node.output())} <= set(self._own):
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

    def _look_at(self, expression: Any) -> None:
        if not expression.deterministic():
            self.problems += [f"{each.sql()}: it is another value each time" for each in unsteady(expression)]
        for salted in below(expression, is_salted):
            self.problems.append(
                f"{salted.sql()}: its initialization vector is another one each time; give one, or a hash"
            )
        for clock in below(expression, _is_clock):
            self.problems.append(
                f"{clock.sql()}: it is another time when a record is read again; use a time of the record, or "
                "metadata's push_time"
            )


def _of_columns(frame: "DataFrame", root: Any, source: Any, taken: Collection[str]) -> list[str]:
    (own,) = (each.exprId().id() for each in each_of(source.output()) if each.name() == POSITION)
    found = [each for each in each_of(root.output()) if str(each.name()).lower() == POSITION]
    problems = []
    if not found:
        problems.append(f"it drops {POSITION}, by which a row is known as its record's; add it to the SELECT")
    elif len(found) > 1:
        problems.append(f"it has {POSITION} {len(found)} times")
    elif found[0].exprId().id() != own:
        problems.append(f"it makes {POSITION} itself; pass the rows' own on as it is, without a name or a function")
    names = [name for name in frame.columns if name.lower() != POSITION]
    if not names:
        problems.append(f"it has no column but {POSITION}")
    metadata = {name.upper() for name in taken}
    problems += [f"{name} is a metadata column; rename one" for name in names if name.upper() in metadata]
    twice = sorted({name for name in names if sum(name.upper() == each.upper() for each in names) > 1})
    return problems + [f"it has two columns {name}" for name in twice]


def _reads_rows(frame: "DataFrame") -> bool:
    """Returns whether Spark's optimizer left the rows in: without them no task would run."""
    plan: Any = frame._jdf.queryExecution().optimizedPlan()
    return any(str(leaf.nodeName()) == LEAF for leaf in each_of(plan.collectLeaves()))


def _is_clock(expression: Any) -> bool:
    return str(expression.getClass().getSimpleName()) in CLOCKS
