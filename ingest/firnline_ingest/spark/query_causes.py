"""The words of why a query, or a job of its rounds, has failed."""

from contextlib import suppress
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkContext

from firnline_ingest.datasource.plan import each_of

LONGEST_CAUSE = 600
MOST_TASKS = 1000
"""Of a job that are looked through for the one that failed."""


def first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)[
        :LONGEST_CAUSE
    ]


def cause_of(error: Exception) -> str:
    """The first words of what made the job fail."""
    from firnline_ingest.spark.query import in_short

    return in_short(error)[:LONGEST_CAUSE]


def cause_of_attempts(context: SparkContext) -> str:
    """The first words of why an attempt of the last job's tasks failed, as Spark keeps them for its page."""
    from firnline_ingest.spark.query import first_lines

    with suppress(Py4JError):
        store: Any = context._jsc.sc().statusStore()
        last = max(each_of(store.jobsList(None)), key=lambda job: int(job.jobId()))
        for stage in each_of(last.stageIds()):
            for task in each_of(store.taskList(int(stage), 0, MOST_TASKS)):
                if task.errorMessage().isDefined():
                    return first_lines(str(task.errorMessage().get()))
    return "an attempt of a task failed; the log of its executor says why"
