"""The stream that records come from."""

import pulumi

from firnline_infra.blueprint.aws import Stream as EventStreamArgs
from firnline_infra.pulumi.rendering import RenderedComponent
from firnline_infra.resources.aws_storage import event_stream

__all__ = ["EventStream", "EventStreamArgs"]


class EventStream(RenderedComponent):
    """Creates a Kinesis stream, encrypted and on demand unless it is said otherwise, and its consumers; or adopts a stream,
    of which only the consumers are made.

    >>> orders = EventStream("orders", EventStreamArgs(name="orders"))
    >>> arn = "arn:aws:kinesis:eu-west-1:111122223333:stream/clicks"
    >>> clicks = EventStream("clicks", EventStreamArgs(name="clicks", existing_arn=arn, consumers=("fraud",)))

    To take over one that exists: `pulumi import aws:kinesis/stream:Stream NAME-stream STREAM`. Where AWS scales the shards,
    their number is left to it.
    """

    arn: pulumi.Output[str]
    consumer_arns: dict[str, pulumi.Output[str]]
    """By the consumer's name."""

    def __init__(self, name: str, args: EventStreamArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(event_stream(name, args), opts)
        self.arn, self.consumer_arns = self.made["arn"], self.made["consumer_arns"]
