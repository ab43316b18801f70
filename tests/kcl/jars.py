"""The Kinesis Client Library and what it needs, from Maven Central; fetched once a clone."""

import subprocess
from pathlib import Path

FOLDER = Path(__file__).parents[2] / ".firnline"
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>firnline</groupId><artifactId>kcl</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>{group}</groupId><artifactId>amazon-kinesis-client</artifactId><version>{version}</version>
  </dependency></dependencies>
</project>
"""


def jars_of(version: str) -> Path:
    """Their folder. Needs Java 17 and Maven."""
    group = "com.amazonaws" if version.startswith("1.") else "software.amazon.kinesis"
    folder = FOLDER / f"kcl-{version}"
    pom, jars = folder / "pom.xml", folder / "jars"
    folder.mkdir(parents=True, exist_ok=True)
    pom.write_text(POM.format(group=group, version=version))
    asked = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={jars}"]
    subprocess.run(["mvn", "-q", "-B", "-f", str(pom), *asked], check=True)
    return jars
