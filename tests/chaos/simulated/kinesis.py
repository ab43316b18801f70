"""Kinesis as it may answer: the fake's own answers, and what AWS was seen to do besides.

Sits between a botocore client and the fake, so that the engine's own parser, errors and clients are in the play.
"""

import json
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from botocore.endpoint import convert_to_response_dict

from firnline_ingest.kinesis.cbor import CborPages
from firnline_ingest.kinesis.client import TypedPageParser, kinesis_client
from firnline_ingest.kinesis.reader import CHILDLESS_ENDS
from firnline_local.clock import Clock
from firnline_local.faults import Fault, FaultKind, FaultPlan
from firnline_local.kinesis import FakeKinesis
from firnline_local.kinesis.errors import FakeKinesisError
from firnline_local.kinesis.subscription import Subscription
from firnline_local.kinesis.wire import answered
from tests.chaos.simulated.simulation import Simulation, pause, sleep
from tests.fakes.kinesis import AWS

MALFORMED = (
    b"{}",
    b'{"Records":[]}',
    b'{"message":null}',
    b"<html>",
    b'{"Records":[{"Sequence',
    b'{"NextShardIterator":',
)
EVENT = "kinesis:SubscribeToShardEvent"
EVENT_ERRORS = ("InternalFailureException", "KMSThrottlingException", "ResourceInUseException")
PUMP_LOOK_S = 0.4
"""Between two looks of a subscription that has nothing to say."""
NULL_BEFORE_THE_END = b'{"Records":[],"NextShardIterator":null,"MillisBehindLatest":0}'


@dataclass
class KinesisTrouble:
    """Trouble that is going on; an act switches it on, and time or another act off again."""

    malformed: float = 0.0
    """How many of the pages are none, from 0 to 1."""
    nulls_open_shards: bool = False
    """Among them: a null next iterator, without children, on a shard that has more; less often in a row than ends one."""
    omitted: set[str] = field(default_factory=set)
    """Shards that listings leave out."""
    unknown: dict[str, int] = field(default_factory=dict)
    """So many times more a shard that is asked for by name is said not to be there."""
    down: set[str] = field(default_factory=set)
    """Operations that answer 500."""
    lost: float = 0.0
    """How many answers don't arrive."""
    strange: float = 0.0
    """How many answers of every operation are none, with the status of a success."""
    cut: float = 0.0
    """How many events of subscriptions don't arrive, and nothing after them."""
    event_errors: float = 0.0
    """How many of them are errors that end the subscription."""
    malformed_events: float = 0.0
    """How many are none."""


class TroubledEvents(FaultPlan):
    """Decides about each event of a subscription; everything else has its trouble in `SimulatedKinesis.handle`."""

    def __init__(self, story: "SimulatedKinesis") -> None:
        super().__init__()
        self._story = story

    def decide(self, endpoint: str, channel: str | None = None) -> Fault | None:
        trouble, rng = self._story.trouble, self._story.simulation.rng
        if endpoint != EVENT or not (trouble.cut or trouble.event_errors or trouble.malformed_events):
            return None
        if rng.random() < trouble.cut:
            return Fault(endpoint=EVENT, kind=rng.choice((FaultKind.CUT, FaultKind.LOST)))
        if rng.random() < trouble.event_errors:
            return Fault(endpoint=EVENT, kind=FaultKind.ERROR, code=rng.choice(EVENT_ERRORS))
        if rng.random() < trouble.malformed_events:
            return Fault(endpoint=EVENT, kind=FaultKind.BODY, body="<html>" * 9)
        return None


class SimulatedKinesis:
    """The service behind every client of a story."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.fake = FakeKinesis(clock=simulation.clock, read_limits=False)
        self.trouble = KinesisTrouble()
        self.faults = TroubledEvents(self)
        self._nulls = 0

    def client(self) -> Any:
        """The one of all stories, which takes long to make; from now on it is answered here."""
        client, service = _client()
        service.story = self
        return client

    def handle(self, operation: str, body: bytes) -> bytes:
        pause()
        if operation in self.trouble.down:
            raise FakeKinesisError("InternalFailureException", "It is down.", 500)
        if self.trouble.unknown:
            self._deny(json.loads(body).get("ShardId"))
        answer = self.fake.handle(operation, body)
        if self.simulation.rng.random() < self.trouble.lost:
            raise FakeKinesisError("InternalFailureException", "The answer got lost.", 500)
        if self.trouble.strange and self.simulation.rng.random() < self.trouble.strange:
            return self.simulation.rng.choice(MALFORMED)
        if operation == "ListShards" and self.trouble.omitted:
            return self._without_the_omitted(answer)
        if operation == "GetRecords":
            return self._page(answer)
        return answer

    def subscribe(self, body: bytes) -> Subscription:
        pause()
        if "SubscribeToShard" in self.trouble.down:
            raise FakeKinesisError("InternalFailureException", "It is down.", 500)
        self._deny(json.loads(body).get("ShardId"))
        return self.fake.subscribe(body)

    def _deny(self, shard: str | None) -> None:
        if shard is not None and self.trouble.unknown.get(shard):
            self.trouble.unknown[shard] -= 1
            raise FakeKinesisError("ResourceNotFoundException", f"Shard {shard} in stream does not exist", 400)

    def _without_the_omitted(self, answer: bytes) -> bytes:
        listing = json.loads(answer)
        listing["Shards"] = [shard for shard in listing["Shards"] if shard["ShardId"] not in self.trouble.omitted]
        return json.dumps(listing).encode()

    def _page(self, answer: bytes) -> bytes:
        rng, trouble = self.simulation.rng, self.trouble
        if rng.random() >= trouble.malformed:
            self._nulls = 0
            return answer
        is_end = b'"NextShardIterator":null' in answer
        may_be_null = trouble.nulls_open_shards and not is_end and self._nulls < CHILDLESS_ENDS - 1
        page = rng.choice((*MALFORMED, NULL_BEFORE_THE_END) if may_be_null else MALFORMED)
        self._nulls += page == NULL_BEFORE_THE_END
        return page


class _Newest:
    """Hands a request on to the story that asked for the client last."""

    story: SimulatedKinesis

    @property
    def faults(self) -> FaultPlan:
        return self.story.faults

    @faults.setter
    def faults(self, faults: FaultPlan) -> None:
        raise NotImplementedError("a story has its own")

    @property
    def clock(self) -> Clock:
        return self.story.simulation.clock

    speaks_cbor = False

    def handle(self, operation: str, body: bytes) -> bytes:
        return self.story.handle(operation, body)

    def subscribe(self, body: bytes) -> Subscription:
        return self.story.subscribe(body)


@cache
def _client() -> tuple[Any, _Newest]:
    """Calls are serialized and parsed as always, and neither signed nor sent: that was most of what a story costs."""
    client, service = cast("Any", kinesis_client(AWS)), _Newest()
    parser, serializer = TypedPageParser(CborPages(None)), client._serializer

    def call(operation: str, params: dict[str, Any]) -> Any:
        model = client.meta.service_model.operation_model(operation)
        request = serializer.serialize_to_request(params, model)
        target, content_type = (request["headers"][name] for name in ("X-Amz-Target", "Content-Type"))
        response = answered(service, target, content_type, request["body"], rest=_rest)
        parsed = parser.parse(convert_to_response_dict(response, model), model.output_shape)
        if response.status_code >= 300:
            raise client.exceptions.from_code(parsed["Error"]["Code"])(parsed, operation)
        return parsed

    client._make_api_call = call
    return client, service


def _rest(seconds: float) -> None:
    sleep(max(seconds, PUMP_LOOK_S))
