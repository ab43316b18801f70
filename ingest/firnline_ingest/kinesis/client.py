"""A Kinesis client that decodes pages of records with kinesis/page.py.

A shard's reader handles throttling in its own loop, so its client does not retry. botocore keeps credentials, signing,
endpoints and every error; only the body of a good GetRecords answer, and the events of a subscription, are taken out of its
hands. The answer is still a dict
with the service's keys, and ResponseMetadata as always.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec
from botocore.parsers import EventStreamJSONParser, JSONParser, ResponseParser, ResponseParserFactory
from botocore.session import Session

from firnline_ingest.aws.client import READ_TIMEOUT_S, aws_client
from firnline_ingest.aws.session import new_session
from firnline_ingest.config.access import HERE, Access
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.config.running import FanOutConfig
from firnline_ingest.kinesis.aws_errors import UnreadablePage
from firnline_ingest.kinesis.cbor import CBOR, CBOR_REFUSALS, JSON, CborPages
from firnline_ingest.kinesis.direct import DirectReads
from firnline_ingest.kinesis.page import RecordPage, decode_event, decode_page
from firnline_ingest.native import native

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

Decoded = TypeVar("Decoded")
SILENCE_S = FanOutConfig().read_timeout_seconds


def kinesis_client(
    aws: AwsConfig,
    *,
    attempts: int = 1,
    connections: int = 10,
    read_timeout_s: float = READ_TIMEOUT_S,
    access: Access = HERE,
) -> "KinesisClient":
    """GetRecords answers with typed records (kinesis/page.py), in CBOR where firnline-native is there to decode it."""
    pages = CborPages(native().module)
    client = aws_client(
        aws,
        "kinesis",
        attempts=attempts,
        connections=connections,
        read_timeout_s=read_timeout_s,
        session=kinesis_session(pages),
        access=access,
    )
    pages.register(client)
    if access.arn is not None:
        client.meta.events.register("before-parameter-build.kinesis.*", partial(_name_by_arn, access.arn))
    parser = TypedPageParser(pages)
    DirectReads(client, pages, parser, stream_arn=access.arn, connections=connections).register()
    return cast("KinesisClient", client)


def _name_by_arn(arn: str, params: dict[str, Any], model: Any, **_: Any) -> None:
    """Puts the ARN of a stream in place of its name, and beside its iterator: a name is of the account that asks.

    As the Kinesis Client Library does it, a listing that goes on by its token says neither (KinesisShardDetector.java).
    """
    if params.pop("StreamName", None) is not None or model.name == "GetRecords":
        params["StreamARN"] = arn


def subscribing_client(
    aws: AwsConfig, *, connections: int, read_timeout_s: float = SILENCE_S, access: Access = HERE
) -> "KinesisClient":
    """A client for SubscribeToShard: each subscription holds a connection that may stay silent for a while."""
    return kinesis_client(aws, connections=connections, read_timeout_s=read_timeout_s, access=access)


def kinesis_session(pages: CborPages | None = None) -> Session:
    """A botocore session whose Kinesis clients answer GetRecords with typed records; all else is botocore's."""
    session = new_session()
    session.register_component("response_parser_factory", TypedPageParserFactory(pages or CborPages(None)))
    return session


class TypedEventParser(EventStreamJSONParser):
    """botocore's parser of events but for one: the event itself is a `ShardEvent`. Exceptions are botocore's."""

    def parse(self, response: Mapping[str, Any], shape: Any) -> dict[str, Any]:
        if response["headers"].get(":event-type") != "SubscribeToShardEvent":
            return cast("dict[str, Any]", super().parse(response, shape))
        return {"SubscribeToShardEvent": _decoded(response["body"], decode_event)}


class TypedPageParser(JSONParser):
    """botocore's parser but for two shapes: Records holds `Record` objects, whose timestamps are seconds.

    NextShardIterator is None where the service says null, and missing where it says nothing.
    """

    EVENT_STREAM_PARSER_CLS = TypedEventParser

    def __init__(self, pages: CborPages) -> None:
        super().__init__()
        self._pages = pages

    def parse(self, response: Mapping[str, Any], shape: Any) -> dict[str, Any]:
        content_type = response["headers"].get("Content-Type", "")
        is_cbor = content_type.startswith(CBOR)
        if response["status_code"] != 200 or shape is None or shape.name != "GetRecordsOutput":
            plain = self._pages.as_json(response) if is_cbor else response
            return cast("dict[str, Any]", super().parse(plain, shape))
        page = self._page(response["body"], content_type, is_cbor=is_cbor)
        said = page.NextShardIterator
        return {
            "Records": page.Records,
            **({} if said is msgspec.UNSET else {"NextShardIterator": said}),
            "MillisBehindLatest": page.MillisBehindLatest,
            "ChildShards": msgspec.to_builtins(page.ChildShards),
            "ResponseMetadata": {**_metadata(response["headers"]), CBOR_REFUSALS: self._pages.take_refusals()},
        }

    def _page(self, body: bytes, content_type: str, *, is_cbor: bool) -> RecordPage:
        try:
            return _decoded(body, self._pages.page if is_cbor else decode_page, content_type)
        except UnreadablePage as error:
            self._pages.refuse(str(error))
            raise


class TypedPageParserFactory(ResponseParserFactory):
    """Kinesis speaks the protocol called json; a client of another protocol gets botocore's own parser."""

    def __init__(self, pages: CborPages) -> None:
        super().__init__()
        self._pages = pages

    def create_parser(self, protocol_name: str) -> ResponseParser:
        return TypedPageParser(self._pages) if protocol_name == "json" else super().create_parser(protocol_name)


def _decoded(body: bytes, decode: Callable[[bytes], Decoded], content_type: str = JSON) -> Decoded:
    try:
        return decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        cause = str(error) if content_type.startswith(JSON) else f"{error}; its content type is {content_type!r}"
        raise UnreadablePage(size=len(body), cause=cause) from error


def _metadata(headers: Mapping[str, str]) -> dict[str, Any]:
    """The response metadata in botocore's form. Its Date header is the service's clock, on which LATEST is pinned."""
    lowered = {name.lower(): value for name, value in headers.items()}
    request_id = {"RequestId": lowered["x-amzn-requestid"]} if "x-amzn-requestid" in lowered else {}
    return {**request_id, "HTTPStatusCode": 200, "HTTPHeaders": lowered}
