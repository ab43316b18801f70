"""The comparison of a start: a Spark session and one task in Python, and nothing of ours but the options of its JVM."""

from collections.abc import Iterable

from pyspark.sql import SparkSession

from firnline_ingest.spark.spark_session import LOCAL_SETTINGS

DONE = "one task is done"


def _sizes(texts: Iterable[str]) -> list[int]:
    return [len(text) for text in texts]


if __name__ == "__main__":
    builder = SparkSession.builder.master("local[2]").appName("bare")
    for name, value in LOCAL_SETTINGS.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.parallelize(["a"], 1).mapPartitions(_sizes).collect()
    print(DONE, flush=True)
    input()
