"""Errors while S3A's jars are fetched."""

from collections.abc import Sequence

from firnline_ingest.errors import EnvironmentalError, declared


@declared
class HadoopUnknown(EnvironmentalError):
    """No list of jars for this Hadoop."""

    hadoop: str
    known: Sequence[str]

    id = "FL-5401"
    message = "There is no list of jars for Hadoop {hadoop}; there is one for {known}."
    causes = "There is no pinned list of S3A's jars for this Hadoop"
    remedy = (
        "give Spark hadoop-aws of its own Hadoop's version, and the AWS SDK that it was built with "
        "(software.amazon.awssdk:bundle in its pom.xml)."
    )


@declared
class JarsUnreachable(EnvironmentalError):
    """The repository did not give a jar. What came before stays and is not fetched again."""

    url: str
    cause: str

    id = "FL-5402"
    message = "{url} can't be fetched: {cause}"
    causes = "A Maven repository did not give a jar of S3A's"
    remedy = "run the same again; if Maven Central can't be reached, name a mirror with --repository."


@declared
class JarForeign(EnvironmentalError):
    """A jar is not the one that was tested; it was not kept."""

    url: str

    id = "FL-5403"
    message = "{url} is not the jar that was tested: its SHA-256 is another one."
    causes = "A jar of S3A's is not the one that was tested; it was not kept"
    remedy = "ask the owner of this repository, or name another one with --repository."
