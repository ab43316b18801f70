"""Letters in S3, through the engine's own client: names, conditions, encryption, and what S3 refuses."""

import gzip
import json
import threading
from typing import Any

import pytest
from botocore.exceptions import NoCredentialsError

from firnline_ingest.aws.client import aws_client
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.dead_letters import s3 as module
from firnline_ingest.dead_letters.errors import (
    DeadLetterPlaceMissing,
    DeadLettersForbidden,
    DeadLettersUnauthenticated,
    DeadLettersUnavailable,
    DeadLetterUnreadable,
    DeadLetterUnwritable,
)
from firnline_ingest.dead_letters.s3 import S3Folder
from firnline_ingest.errors import DeadLetterError
from firnline_local.faults import Fault, FaultKind
from tests.contract.dead_letters.conftest import Bucket, EmbeddedBucket
from tests.contract.dead_letters.letters import FIRST, letter, letters

pytestmark = pytest.mark.contract

SHARD_PATH = "letters/orders@1700000000000/shardId-000000000000/"


def test_letters_of_a_page_are_one_object_that_anything_can_read(bucket: Bucket) -> None:
    bucket.folder().put(letters(3))
    ((name, content),) = bucket.contents().items()
    first, last = letters(3)[0].key.position.token, letters(3)[-1].key.position.token
    assert name.startswith(f"{SHARD_PATH}{first}-{last}.parse.")
    assert name.endswith(".jsonl.gz")
    lines = gzip.decompress(content).splitlines()
    assert [json.loads(line)["sequenceNumber"] for line in lines] == [str(FIRST + number) for number in range(3)]


def test_names_are_listed_in_the_order_of_positions(bucket: Bucket) -> None:
    for number in (FIRST + 10, 7, FIRST + 9, 10**20):
        bucket.folder().put([letter(number)])
    starts = [name.removeprefix(SHARD_PATH).split("-")[0] for name in bucket.contents()]
    assert [int(start) // 10**20 for start in starts] == [7, 10**20, FIRST + 9, FIRST + 10]


def test_other_letters_between_the_same_two_are_kept_too(bucket: Bucket) -> None:
    """A configuration that rejects more makes another page of the same range: nothing may hide it."""
    bucket.folder().put([letter(1), letter(3)])
    assert bucket.folder().put([letter(1), letter(2), letter(3)]) == 3
    assert [each.sequence_number for each in bucket.folder().list()] == ["1", "2", "3"]


def test_of_two_objects_with_a_letter_the_older_one_counts(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = letter(2, detail="old"), letter(2, detail="new")
    bucket.folder().put([old, letter(3)])
    later = bucket.client.list_objects_v2(Bucket=bucket.name)["Contents"][0]["LastModified"].replace(year=2999)
    bucket.folder().put([letter(1), new])
    objects = S3Folder._objects

    def with_later_dates(self: S3Folder, prefix: str) -> Any:
        for shard, found in objects(self, prefix):
            is_new = found.first.sequence_number == 1
            yield (
                shard,
                (module.DeadLetterObject(found.first, found.last, found.stage, found.name, later) if is_new else found),
            )

    monkeypatch.setattr(S3Folder, "_objects", with_later_dates)
    assert [each.detail for each in bucket.folder().list()] == ["x", "old", "x"]
    assert bucket.folder().get(old.key).detail == "old"


def test_many_letters_become_objects_of_bounded_size(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OBJECT_BYTES", 2_000)
    assert bucket.folder().put(letters(50)) == 50
    assert len(bucket.contents()) > 5
    assert all(len(gzip.decompress(content)) <= 2_000 for content in bucket.contents().values())
    assert list(bucket.folder().list()) == letters(50)
    assert bucket.folder().put(letters(50)) == 0


def test_a_record_of_the_services_maximum_is_kept(bucket: Bucket) -> None:
    large = letter(FIRST, data=bytes(range(256)) * 40_960)
    bucket.folder().put([letter(FIRST - 1), large, letter(FIRST + 1)])
    assert bucket.folder().get(large.key) == large


def test_a_list_of_many_objects_goes_on_page_after_page(bucket: Bucket) -> None:
    """S3's pages have a thousand names, unless a client asks for smaller ones."""
    pages: list[str | None] = []

    def ask_for_twenty(params: dict[str, Any], **_: Any) -> None:
        pages.append(params.get("ContinuationToken"))
        params["MaxKeys"] = 20

    for each in letters(45):
        bucket.folder().put([each])
    bucket.client.meta.events.register("before-parameter-build.s3.ListObjectsV2", ask_for_twenty)
    assert list(bucket.folder().list()) == letters(45)
    assert len(set(pages)) == len(pages) == 3


def test_several_engines_may_put_the_same_letters_at_once(bucket: Bucket) -> None:
    threads = [threading.Thread(target=bucket.folder().put, args=(letters(100),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert list(bucket.folder().list()) == letters(100)
    assert len(bucket.contents()) == 1


def test_an_answer_that_got_lost_costs_nothing(embedded_bucket: EmbeddedBucket) -> None:
    embedded_bucket.fail(Fault(endpoint="s3:PUT", kind=FaultKind.LOST, times=1))
    embedded_bucket.folder().put(letters(3))
    assert list(embedded_bucket.folder().list()) == letters(3)


def test_the_label_shows_that_the_folder_can_be_written_and_is_made_once(bucket: Bucket) -> None:
    assert bucket.folder().check() == f"s3://{bucket.name}/letters/"
    assert bucket.folder().check() == f"s3://{bucket.name}/letters/"
    assert list(bucket.contents()) == ["letters/firnline-dead-letters.json"]
    assert list(bucket.folder().list()) == []


def test_a_key_of_the_environments_encrypts_each_object(embedded_bucket: EmbeddedBucket) -> None:
    arn = "arn:aws:kms:us-east-1:123456789012:key/1a2b3c4d-0000-1111-2222-333344445555"
    embedded_bucket.folder(kms_key_arn=arn).put(letters(1))
    (name,) = embedded_bucket.contents()
    found = embedded_bucket.client.head_object(Bucket=embedded_bucket.name, Key=name)
    assert (found["ServerSideEncryption"], found["SSEKMSKeyId"]) == ("aws:kms", arn)


def test_content_that_arrives_otherwise_is_refused(bucket: Bucket) -> None:
    """The client sends a checksum, and the service compares it: on the next way it may arrive whole."""

    def change(request: Any, **_: Any) -> None:
        if request.method == "PUT":
            request.body = bytes(reversed(request.body.read()))

    bucket.client.meta.events.register("before-send.s3", change)
    with pytest.raises(DeadLettersUnavailable, match=r"BadDigest|XAmzContentSHA256Mismatch"):
        bucket.folder().put(letters(1))
    assert bucket.contents() == {}


@pytest.mark.parametrize(
    ("code", "status", "expected"),
    [
        ("AccessDenied", 403, DeadLettersForbidden),
        ("KMS.DisabledException", 400, DeadLettersForbidden),
        ("InvalidAccessKeyId", 403, DeadLettersUnauthenticated),
        ("SignatureDoesNotMatch", 403, DeadLettersUnavailable),
        ("NoSuchBucket", 404, DeadLetterPlaceMissing),
        ("PermanentRedirect", 301, DeadLetterPlaceMissing),
        ("AuthorizationHeaderMalformed", 400, DeadLetterPlaceMissing),
        ("SlowDown", 503, DeadLettersUnavailable),
        ("InternalError", 500, DeadLettersUnavailable),
        ("ConditionalRequestConflict", 409, DeadLettersUnavailable),
        ("ExpiredToken", 400, DeadLettersUnavailable),
        ("BadDigest", 400, DeadLettersUnavailable),
        ("XAmzContentSHA256Mismatch", 400, DeadLettersUnavailable),
        ("IncompleteBody", 400, DeadLettersUnavailable),
        ("RequestTimeTooSkewed", 403, DeadLettersUnavailable),
        ("KeyTooLongError", 400, DeadLetterUnwritable),
    ],
)
def test_each_refusal_says_what_to_do(
    embedded_bucket: EmbeddedBucket, code: str, status: int, expected: type[DeadLetterError]
) -> None:
    embedded_bucket.fail(Fault(endpoint="s3:PUT", kind=FaultKind.ERROR, status=status, code=code, message="said S3"))
    with pytest.raises(expected) as raised:
        embedded_bucket.folder().put(letters(1))
    assert type(raised.value) is expected
    assert f"s3://{embedded_bucket.name}/letters/" in raised.value.what
    assert "said S3" in raised.value.what
    assert raised.value.next_step


def test_a_bucket_that_is_not_there_is_named(bucket: Bucket) -> None:
    with pytest.raises(DeadLetterPlaceMissing, match="s3://nowhere-at-all/letters/"):
        S3Folder(bucket.client, "nowhere-at-all", "letters/").check()


def test_a_service_that_can_t_be_reached_is_passing(embedded_bucket: EmbeddedBucket) -> None:
    embedded_bucket.fail(Fault(endpoint="s3:*", kind=FaultKind.CUT))
    with pytest.raises(DeadLettersUnavailable):
        embedded_bucket.folder().put(letters(1))
    with pytest.raises(DeadLettersUnavailable, match="s3:ListBucket"):
        list(embedded_bucket.folder().list())


def test_passing_trouble_is_tried_again_before_anybody_hears_of_it(embedded_bucket: EmbeddedBucket) -> None:
    embedded_bucket.fail(Fault(endpoint="s3:PUT", kind=FaultKind.ERROR, status=503, code="SlowDown", times=1))
    assert embedded_bucket.folder().put(letters(1)) == 1


def test_without_credentials_the_error_says_whose(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    client = aws_client(AwsConfig(region="us-east-1", endpoints={"s3": bucket.endpoint}), "s3")

    def no_credentials(*_: Any, **__: Any) -> None:
        raise NoCredentialsError

    client.meta.events.register_first("before-sign.s3", no_credentials)
    with pytest.raises(DeadLettersUnauthenticated, match="aws sts get-caller-identity"):
        S3Folder(client, bucket.name, "letters/").check()


@pytest.mark.parametrize(
    "content",
    [b"no gzip", gzip.compress(b'{"version":1,')[:-4], gzip.compress(b'{"version":1}')],
    ids=["no gzip", "cut short", "not a letter"],
)
def test_an_object_that_is_no_letters_is_named(bucket: Bucket, content: bytes) -> None:
    bucket.folder().put(letters(1))
    (name,) = bucket.contents()
    bucket.client.put_object(Bucket=bucket.name, Key=name, Body=content)
    with pytest.raises(DeadLetterUnreadable, match=name):
        list(bucket.folder().list())


def test_letters_under_another_ones_name_are_refused(bucket: Bucket) -> None:
    bucket.folder().put([letter(1)])
    ((name, content),) = bucket.contents().items()
    bucket.client.put_object(Bucket=bucket.name, Key=name.replace("shardId-0", "shardId-9"), Body=content)
    with pytest.raises(DeadLetterUnreadable, match="it holds the dead letter orders@1700000000000/shardId-0"):
        list(bucket.folder().list())


def test_what_else_lies_in_the_folder_is_left_alone(bucket: Bucket) -> None:
    bucket.client.put_object(Bucket=bucket.name, Key=f"{SHARD_PATH}notes.txt", Body=b"mine")
    bucket.folder().put(letters(1))
    assert list(bucket.folder().list()) == letters(1)


def test_the_whole_bucket_can_be_the_folder(bucket: Bucket) -> None:
    bucket.folder("").put(letters(1))
    assert bucket.folder("").get(letters(1)[0].key) == letters(1)[0]
