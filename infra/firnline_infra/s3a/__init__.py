"""The jars with which a Spark that is not EMR's opens s3a://."""

from firnline_infra.s3a.errors import HadoopUnknown, JarForeign, JarsUnreachable
from firnline_infra.s3a.fetch import MAVEN_CENTRAL, provide, provide_jars, provided_at
from firnline_infra.s3a.jars import Jar, hadoop_of, jars_for, jars_of, known_hadoops

__all__ = [
    "MAVEN_CENTRAL",
    "HadoopUnknown",
    "Jar",
    "JarForeign",
    "JarsUnreachable",
    "hadoop_of",
    "jars_for",
    "jars_of",
    "known_hadoops",
    "provide",
    "provide_jars",
    "provided_at",
]
