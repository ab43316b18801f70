"""Keeps a group of shards in the executor and in the Python worker that had it, so that its channels stay open across epochs.

An executor hands a task to whichever of its Python workers is free, so two groups would change places at an epoch's
boundary, and every shard of them would be opened again and its unproven rows read twice. Spark pools workers by their
environment, so each group sets a distinct variable.

Spark's Scala API takes preferred locations for a partition and PySpark's does not, so this goes through py4j. Placement
is a preference: where it can't be had, shards are opened again elsewhere, and correctness does not depend on it.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.core.rdd import RDD
from pyspark.serializers import BatchedSerializer, CPickleSerializer

GROUP = "FIRNLINE_GROUP"

log = logging.getLogger(__name__)


def executor_locations(context: SparkContext) -> list[str]:
    """One preferred location an executor, in a stable order; empty in local mode, and where Spark does not tell."""
    try:
        infos = context._jsc.sc().statusStore().executorList(True).iterator()
        found = []
        while infos.hasNext():
            info = infos.next()
            if info.id() != "driver":
                found.append(f"executor_{info.hostPort().rsplit(':', 1)[0]}_{info.id()}")
    except Py4JError as error:
        log.warning("placement.unknown", extra={"cause": str(error)})
        return []
    return sorted(found)


def placed(context: SparkContext, items: Sequence[str], locations: Sequence[str]) -> "list[RDD[str]]":
    """An RDD of one partition for each item, the n-th preferred at the n-th location, round and round."""
    if locations:
        try:
            return [_at(context, item, locations[n % len(locations)]) for n, item in enumerate(items)]
        except Py4JError as error:
            log.warning("placement.refused", extra={"cause": str(error)})
    return [context.parallelize([item], 1) for item in items]


def run_in_own_workers(
    context: SparkContext, function: Callable[[Iterable[str]], Iterator[str]], groups: "Sequence[RDD[str]]"
) -> list[str]:
    """One job over all groups; what `function` makes of each. The n-th group meets the n-th group's worker of before."""
    tasks = [_bound(group.mapPartitions(function), number) for number, group in enumerate(groups)]
    return context.union(tasks).collect()


def _at(context: SparkContext, item: str, location: str) -> "RDD[str]":
    jvm: Any = context._jvm
    pickler: Any = CPickleSerializer()
    batched: Any = BatchedSerializer
    pair = jvm.scala.Tuple2(bytearray(pickler.dumps([item])), _scala_seq(jvm, [location]))
    tag = jvm.scala.reflect.ClassTag.apply(jvm.java.lang.Class.forName("[B"))
    rdd = context._jsc.sc().makeRDD(_scala_seq(jvm, [pair]), tag)
    return RDD(rdd.toJavaRDD(), context, batched(pickler))


def _scala_seq(jvm: Any, values: Sequence[Any]) -> Any:
    values_list = jvm.java.util.ArrayList()
    for value in values:
        values_list.add(value)
    return jvm.scala.jdk.javaapi.CollectionConverters.asScala(values_list).toSeq()


def _bound(tasks: "RDD[str]", number: int) -> "RDD[str]":
    """The variables are taken when Spark's own RDD is made, which PySpark does late."""
    environment = tasks.context.environment
    environment[GROUP] = str(number)
    try:
        tasks._jrdd  # noqa: B018 - a property that makes it
    finally:
        del environment[GROUP]
    return tasks
