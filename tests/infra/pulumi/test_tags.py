"""Tags of the specification are on all that takes tags, by the provider's own schema."""

import json
from pathlib import Path

import pytest

from tests.infra.pulumi.conftest import SpecOf, deployed

HERE = Path(__file__).parents[3]
SCHEMA = json.loads((HERE / "local" / "firnline_local" / "pulumi" / "schemas" / "aws.json").read_text())
OBJECT = "aws:s3/bucketObjectv2:BucketObjectv2"  # what lies in a bucket has the bucket's


@pytest.mark.parametrize("name", ["dev", "staging", "prod"])
def test_every_object_that_takes_tags_has_those_of_the_specification(name: str, spec_of: SpecOf) -> None:
    spec, made = spec_of(name), deployed(name).made
    taking = [each for each in made if "tags" in SCHEMA.get(each.type, {}) and each.type != OBJECT]
    assert spec.tags
    assert taking
    assert [each.type for each in taking if not spec.tags.items() <= each.inputs.get("tags", {}).items()] == []
