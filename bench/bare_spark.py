"""What a start is compared with: a Spark session and one task in Python, and nothing of ours."""

from collections.abc import Iterable

from pyspark.sql import SparkSession

DONE = "one task is done"


def _sizes(texts: Iterable[str]) -> list[int]:
    return [len(text) for text in texts]


if __name__ == "__main__":
    spark = SparkSession.builder.master("local[2]").appName("bare").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.parallelize(["a"], 1).mapPartitions(_sizes).collect()
    print(DONE, flush=True)
    input()
