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
ANYWHERE = ""

log = logging.getLogger(__name__)


def executor_slots(context: SparkContext) -> dict[str, int]:
    """The number of tasks that run at once on each executor, by its location as Spark writes it; the location is empty for
    the driver in local mode, and if Spark does not tell."""
    found = dict[str, int]()
    try:
        infos = context._jsc.sc().statusStore().executorList(True).iterator()
        while infos.hasNext():
            info = infos.next()
            host = info.hostPort().rsplit(":", 1)[0]
            location = ANYWHERE if info.id() == "driver" else f"executor_{host}_{info.id()}"
            if info.maxTasks() > 0 and not info.isExcluded():  # a driver beside its cluster runs none
                found[location] = info.maxTasks()
    except Py4JError as error:
        log.warning("placement.unknown", extra={"cause": str(error)})
        found.clear()
    return found or {ANYWHERE: context.defaultParallelism}


def run_in_own_workers(
    context: SparkContext, function: Callable[[Iterable[str]], Iterator[str]], tasks: Sequence[tuple[int, str, str]]
) -> list[str]:
    """One job of (number, location, item); what `function` makes of the items. A task prefers its location, and meets the
    worker that the task with its number had there before.
    """
    placed = [(number, _placed(context, item, location)) for number, location, item in tasks]
    return context.union([_bound(rdd.mapPartitions(function), number) for number, rdd in placed]).collect()


def placed_bytes(
    context: SparkContext, function: Callable[[Iterable[str]], Iterator[bytes]], task: tuple[int, str, str]
) -> Any:
    """The JVM's RDD of the bytes that `function` makes of one task, placed and bound as in `run_in_own_workers`."""
    number, location, item = task
    made: Any = _placed(context, item, location).mapPartitions(function)
    made._bypass_serializer = True
    return _bound(made, number)._jrdd


def _placed(context: SparkContext, item: str, location: str) -> "RDD[str]":
    """An RDD of one partition."""
    if location != ANYWHERE:
        try:
            return _at(context, item, location)
        except Py4JError as error:
            log.warning("placement.refused", extra={"cause": str(error)})
    return context.parallelize([item], 1)


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
