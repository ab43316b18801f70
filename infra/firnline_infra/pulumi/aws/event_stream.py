"""The stream that records come from."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.aws import Stream as EventStreamArgs
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import as_input

__all__ = ["EventStream", "EventStreamArgs"]


class EventStream(pulumi.ComponentResource):
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
        super().__init__("firnline:index:EventStream", name, None, opts)
        if args.existing_arn is None:
            self.arn = self._stream(name, args).arn
        else:
            self.arn = pulumi.Output.from_input(args.existing_arn)
        self.consumer_arns = {each: self._consumer(name, each, args) for each in args.consumers}
        self.register_outputs({"arn": self.arn, "consumerArns": self.consumer_arns})

    def _stream(self, name: str, args: EventStreamArgs) -> aws.kinesis.Stream:
        return aws.kinesis.Stream(
            f"{name}-stream",
            name=args.name,
            shard_count=args.shards,
            stream_mode_details={"stream_mode": args.mode},
            retention_period=args.retention_hours,
            encryption_type=args.encryption,
            kms_key_id=as_input(args.key_arn),
            shard_level_metrics=list(args.shard_metrics),
            max_record_size_in_kib=args.max_record_kib,
            enforce_consumer_deletion=args.enforce_consumer_deletion,
            tags=args.tags,
            opts=child_of(
                self, durability=args.durability, ignore_changes=[] if args.shards is not None else ["shard_count"]
            ),
        )

    def _consumer(self, name: str, consumer: str, args: EventStreamArgs) -> pulumi.Output[str]:
        made = aws.kinesis.StreamConsumer(
            f"{name}-consumer-{consumer}",
            name=consumer,
            stream_arn=self.arn,
            tags=args.tags,
            opts=child_of(self),
        )
        return made.arn
