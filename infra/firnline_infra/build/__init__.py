"""`firnline build`: the engine as files that a cluster runs, and how Spark is told to use them."""

from firnline_infra.build.settings import spark_settings

__all__ = ["spark_settings"]
