"""A Kinesis client that decodes pages of records with kinesis/page.py.

A shard's reader handles throttling in its own loop, so its client does not retry. botocore keeps credentials, signing,
endpoints and every error; only the body of a good GetRecords answer is taken out of its hands. The answer is still a dict
with the service's keys, and ResponseMetadata as always.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import msgspec
from botocore.parsers import JSONParser, ResponseParser, ResponseParserFactory
from botocore.session import Session

from firnline_ingest.aws.client import aws_client
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.kinesis.errors import UnreadablePage
from firnline_ingest.kinesis.page import RecordPage, decode_page

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient


def kinesis_client(aws: AwsConfig, *, attempts: int = 1, connections: int = 10) -> "KinesisClient":
    """GetRecords answers with typed records (kinesis/page.py)."""
    session = kinesis_session(aws.profile)
    client = aws_client(aws, "kinesis", attempts=attempts, connections=connections, session=session)
    return cast("KinesisClient", client)


def kinesis_session(profile: str | None = None) -> Session:
    """A botocore session whose Kinesis clients answer GetRecords with typed records; all else is botocore's."""
    session = Session(profile=profile)
    session.register_component("response_parser_factory", TypedPageParserFactory())
    return session


class TypedPageParser(JSONParser):
    """botocore's parser but for one shape: Records holds `Record` objects, whose timestamps are seconds.

    NextShardIterator is None where the service says null, and missing where it says nothing.
    """

    def parse(self, response: Mapping[str, Any], shape: Any) -> dict[str, Any]:
        if response["status_code"] != 200 or shape is None or shape.name != "GetRecordsOutput":
            return cast("dict[str, Any]", super().parse(response, shape))
        page = _page(response["body"])
        said = page.NextShardIterator
        return {
            "Records": page.Records,
            **({} if said is msgspec.UNSET else {"NextShardIterator": said}),
            "MillisBehindLatest": page.MillisBehindLatest,
            "ChildShards": msgspec.to_builtins(page.ChildShards),
            "ResponseMetadata": _metadata(response["headers"]),
        }


class TypedPageParserFactory(ResponseParserFactory):
    """Kinesis speaks the protocol called json; a client of another protocol gets botocore's own parser."""

    def create_parser(self, protocol_name: str) -> ResponseParser:
        return TypedPageParser() if protocol_name == "json" else super().create_parser(protocol_name)


def _page(body: bytes) -> RecordPage:
    try:
        return decode_page(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadablePage(size=len(body), cause=str(error)) from error


def _metadata(headers: Mapping[str, str]) -> dict[str, Any]:
    """As botocore writes it. The Date header is the service's clock, on which LATEST is pinned."""
    lowered = {name.lower(): value for name, value in headers.items()}
    request_id = {"RequestId": lowered["x-amzn-requestid"]} if "x-amzn-requestid" in lowered else {}
    return {**request_id, "HTTPStatusCode": 200, "HTTPHeaders": lowered}
