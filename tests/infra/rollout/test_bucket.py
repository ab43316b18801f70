from io import BytesIO

import pytest
from botocore.response import StreamingBody

from firnline_infra.rollout.bucket import BucketObjects
from firnline_infra.rollout.records import Deployments
from firnline_infra.runtimes.errors import RuntimeRefused, RuntimeUnavailable
from tests.infra.runtimes.environments import BUCKET
from tests.infra.runtimes.services.conftest import StubbedAws

NAME = "00000002.json"


@pytest.fixture
def objects(aws: StubbedAws) -> BucketObjects:
    return BucketObjects(aws.client("s3"), BUCKET, "deployments/")


def there_is(aws: StubbedAws, text: str) -> None:
    body = StreamingBody(BytesIO(text.encode()), len(text))
    aws.answers("s3", "get_object", {"Body": body}, {"Bucket": BUCKET, "Key": f"deployments/{NAME}"})


def test_a_record_that_somebody_else_has_made_is_theirs(objects: BucketObjects, aws: StubbedAws) -> None:
    aws.refuses("s3", "put_object", "PreconditionFailed")
    there_is(aws, "theirs")
    assert not objects.create(NAME, "ours")


def test_a_record_of_which_only_the_answer_was_lost_is_ours(objects: BucketObjects, aws: StubbedAws) -> None:
    aws.refuses("s3", "put_object", "PreconditionFailed")
    there_is(aws, "ours")
    assert objects.create(NAME, "ours")


def test_a_record_that_is_being_made_at_this_moment_is_asked_for_again(aws: StubbedAws) -> None:
    """By an earlier attempt of the client too, whose answer it has not waited for."""
    aws.answers("s3", "list_objects_v2", {"Contents": [{"Key": "deployments/00000001.json"}]})
    aws.refuses("s3", "get_object", "NoSuchKey")
    aws.refuses("s3", "put_object", "ConditionalRequestConflict")
    aws.answers("s3", "put_object", {})
    slept: list[float] = []
    objects = BucketObjects(aws.client("s3"), BUCKET, "deployments/")
    assert Deployments(objects, sleep=slept.append).begin("hash", {}).number == 1
    assert slept


@pytest.mark.parametrize(
    ("code", "error"), [("AccessDenied", RuntimeRefused), ("SlowDown", RuntimeUnavailable)], ids=["denied", "throttled"]
)
def test_what_says_nothing_about_the_record_is_raised(
    objects: BucketObjects, aws: StubbedAws, code: str, error: type[Exception]
) -> None:
    aws.refuses("s3", "put_object", code)
    with pytest.raises(error):
        objects.create(NAME, "ours")
