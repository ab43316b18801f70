"""Tags of the specification are on all that takes tags, by the provider's own schema."""

import json
from pathlib import Path

import pytest
import yaml

HERE = Path(__file__).parents[3]
SCHEMA = json.loads((HERE / "local" / "firnline_local" / "pulumi" / "schemas" / "aws.json").read_text())
OBJECT = "aws:s3/bucketObjectv2:BucketObjectv2"  # what lies in a bucket has the bucket's


@pytest.mark.parametrize("name", ["dev", "staging", "prod"])
def test_every_object_that_takes_tags_has_those_of_the_specification(name: str) -> None:
    asked = yaml.safe_load((HERE / "stacks" / "environments" / f"{name}.yaml").read_text())["tags"]
    made = json.loads((Path(__file__).parent / "golden" / f"{name}.json").read_text())["resources"].values()
    taking = [each for each in made if "tags" in SCHEMA.get(each["type"], {}) and each["type"] != OBJECT]
    assert asked
    assert taking
    assert [each["type"] for each in taking if not asked.items() <= each["inputs"].get("tags", {}).items()] == []
