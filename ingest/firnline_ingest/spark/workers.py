"""Gives each group of shards a Python worker process of its own, the same one in every epoch.

An executor hands a task to whichever of its Python workers is free, so two groups would change places at an epoch's
boundary, and every shard of them would be opened again and its unproven rows read twice. But Spark keeps workers apart by
the environment variables that they were started with, so each group has another one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from pyspark import SparkContext
from pyspark.core.rdd import RDD

GROUP = "FIRNLINE_GROUP"


def run_in_own_workers(
    context: SparkContext, function: Callable[[Iterable[str]], Iterator[str]], groups: "Sequence[RDD[str]]"
) -> list[str]:
    """One job over all groups; what `function` makes of each. The n-th group meets the n-th group's worker of before."""
    tasks = [_bound(group.mapPartitions(function), number) for number, group in enumerate(groups)]
    return context.union(tasks).collect()


def _bound(tasks: "RDD[str]", number: int) -> "RDD[str]":
    """The variables are taken when Spark's own RDD is made, which PySpark does late."""
    environment = tasks.context.environment
    environment[GROUP] = str(number)
    try:
        tasks._jrdd  # noqa: B018 - a property that makes it
    finally:
        del environment[GROUP]
    return tasks
