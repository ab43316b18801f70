"""Refusals of Kinesis, as errors of ours; aws_errors.py makes them of its answers.

Retryable ones are waited out in the reader's loop; a fatal one stops the shard and says what to do.
"""

from firnline_ingest.aws.next_steps import GIVE_CREDENTIALS, REPORT_REQUEST, STALE_CREDENTIALS
from firnline_ingest.aws.trust import untrusted
from firnline_ingest.errors import Fatal, FirnlineError, KinesisError, Retryable, declared


@declared
class StreamMissing(KinesisError, Fatal):
    stream: str

    id = "FL-2001"
    message = "The stream {stream!r} does not exist in this account and region."
    next_step = (
        "check the stream's name, the region and aws.endpoints in the configuration, and whose account the credentials belong "
        "to."
    )
    causes = "Wrong name, region, account or endpoint; or the stream was deleted while it was read"
    remedy = "check the four"


@declared
class StreamNotReady(KinesisError, Retryable):
    stream: str
    asked: str
    cause: str

    id = "FL-2018"
    message = "The stream {stream!r} is not ready for kinesis:{asked}: {cause}"
    next_step = "nothing: it is asked again, until the stream is ACTIVE."
    causes = "The stream is CREATING: its shards can be listed and read once it is ACTIVE"
    remedy = "nothing: it is asked again; `aws kinesis describe-stream-summary` shows its state"


@declared
class StreamForbidden(KinesisError, Fatal):
    stream: str
    operation: str
    cause: str

    id = "FL-2002"
    message = "kinesis:{operation} on {stream!r} was denied: {cause}"
    next_step = "allow kinesis:{operation} on the stream to the engine's role (docs/permissions.md)."
    causes = "The role lacks an action"
    remedy = "[the policy](first-real-run.md)"


@declared
class StreamCredentialsMissing(StreamForbidden):
    """No permission was denied: the request was never sent."""

    id = "FL-2014"
    message = "No AWS credentials were found to ask kinesis:{operation} of {stream!r} with: {cause}"
    next_step = (
        "give this process credentials: a role of the machine, a profile (aws sso login renews one), or AWS_ACCESS_KEY_ID and "
        "AWS_SECRET_ACCESS_KEY in its environment."
    )
    causes = "There are no AWS credentials where the command runs, or the profile or the login that should give them does not"
    remedy = "a role of the machine, a profile, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"


@declared
class StreamCallerUnknown(StreamCredentialsMissing):
    """AWS does not know the credentials, so no right of theirs would help."""

    id = "FL-2015"
    message = "AWS does not know the credentials that kinesis:{operation} of {stream!r} was asked with: {cause}"
    next_step = GIVE_CREDENTIALS
    causes = (
        "AWS does not know the credentials that a request was signed with: deleted, of another partition, or mistyped"
    )
    remedy = "`aws sts get-caller-identity` has to answer there"


@declared
class StreamCredentialsStale(KinesisError, Retryable):
    """The credentials have expired, or the clock is wrong."""

    stream: str
    operation: str
    cause: str

    id = "FL-1208"
    message = "kinesis:{operation} on {stream!r} was refused for the credentials, which were good before: {cause}"
    next_step = STALE_CREDENTIALS
    causes = "Kinesis says that the credentials have expired, or were signed with at another time than its own"
    remedy = (
        "what renews them; a profile's file is read again, variables of the environment need a new start; the "
        "machine's clock"
    )


@declared
class StreamKeyUnusable(KinesisError, Fatal):
    stream: str
    code: str
    cause: str

    id = "FL-2003"
    message = "The key that encrypts {stream!r} can't be used ({code}): {cause}"
    next_step = "enable the KMS key, and allow kms:Decrypt on it to the engine's role."
    causes = "The KMS key is disabled, or `kms:Decrypt` is missing"
    remedy = "enable it, or allow it"


@declared
class StreamThrottled(KinesisError, Retryable):
    stream: str
    operation: str
    code: str

    id = "FL-2004"
    message = "{operation} on {stream!r} is throttled ({code})."
    next_step = (
        "nothing is lost, and reading goes on by itself; if it lasts, other consumers share the shard's five reads a "
        "second: raise polling.interval_ms, or stop one of them."
    )
    causes = "Others read the same shards: five reads a second are shared"
    remedy = "raise `polling.interval_ms`, or stop a consumer"


@declared
class StreamUnreachable(KinesisError, Retryable):
    stream: str
    operation: str
    cause: str

    id = "FL-2005"
    message = "{operation} on {stream!r} got no useful answer: {cause}"
    next_step = "{advice}"
    causes = "Network, endpoint, or an answer that is not a page"
    remedy = "the network, `aws.endpoints`, a proxy between; if a certificate is not trusted, `aws.ca_file`"

    @property
    def advice(self) -> str:
        return (
            untrusted(self.cause)
            or "nothing is lost, and reading goes on by itself; if it lasts, check the network and aws.endpoints."
        )


@declared
class IteratorExpired(KinesisError, Retryable):
    stream: str

    id = "FL-2006"
    message = "An iterator of {stream!r} expired."
    next_step = "nothing: a new one is fetched at the position."
    causes = "More than five minutes between two reads"
    remedy = "nothing"


@declared
class PositionForeign(KinesisError, Fatal):
    stream: str
    cause: str

    id = "FL-2007"
    message = "{stream!r} does not know the position to go on from: {cause}"
    next_step = (
        "the position belongs to another stream; find out who changed the ledger or the stream's name, then: firnline "
        "resume --config engine.json --stream {stream} --from trim-horizon"
    )
    causes = "The position belongs to another stream"
    remedy = "who changed the ledger? then `firnline resume --config engine.json --stream STREAM --from trim-horizon`"


@declared
class StartRefused(KinesisError, Retryable):
    """A start that is a time, the newest record or the oldest one: there is no position that could be another stream's."""

    stream: str
    cause: str

    id = "FL-2016"
    message = "{stream!r} does not begin where it was asked to: {cause}"
    next_step = (
        "nothing is lost: the same start is asked for again. If it lasts, look at starting_position and at the "
        "machine's clock."
    )
    causes = (
        "Kinesis refuses the time at which a shard is to begin; one that lies some milliseconds in the future by its own "
        "clock is good a moment later"
    )
    remedy = "nothing: it is asked again; if it lasts, the `starting_position`, and the clock of the machine"


@declared
class StreamRequestMalformed(KinesisError, Fatal):
    """Kinesis has no such request: a defect of ours, or what answers is not Kinesis."""

    stream: str
    operation: str
    code: str
    cause: str

    id = "FL-2017"
    message = "kinesis:{operation} of {stream!r} was refused as malformed: {code}: {cause}"
    next_step = REPORT_REQUEST
    causes = "**Kinesis calls a request malformed**: a defect of Firnline; or `aws.endpoints` leads to another service"
    remedy = "`aws.endpoints`; else report the message"


@declared
class RecordsLost(KinesisError, Fatal):
    shard: str
    how: str
    lost: str

    id = "FL-2008"
    message = "Shard {shard} has lost records: {how}. Lost is at most {lost}."
    next_step = (
        "raise the stream's retention so that it outlasts an outage. To go on without them: set fail_on_data_loss to false; the "
        "range is kept as an incident in the ledger either way."
    )
    causes = (
        "**records left retention before they were read.** The ledger keeps the range as an incident, with the times "
        "between which they arrived and an estimate of how many they were"
    )
    remedy = "raise the retention; `fail_on_data_loss: false` goes on without them"


@declared
class PageUnreadable(KinesisError, Retryable):
    """An answer with a good status that says nothing, or that a shard ended which nothing else says ended."""

    stream: str
    operation: str
    cause: str

    id = "FL-2011"
    message = "{operation} on {stream!r} was answered with status 200 and what is not an answer: {cause}"
    next_step = (
        "nothing is lost: it is asked again, from the same place. If it lasts, look at what stands between the engine "
        "and Kinesis: a proxy, a gateway, aws.endpoints."
    )
    causes = (
        "A good status over a body that says nothing, or that a shard ended which nothing else says ended. Counted as "
        "`unreadable_pages`"
    )
    remedy = "if it lasts: the proxy, the gateway, `aws.endpoints`"


@declared
class ShardExpired(KinesisError, Fatal):
    """The service no longer has the shard, and it was not read to its end."""

    shard: str
    lost: str = ""

    id = "FL-2012"
    message = "Shard {shard} left the stream before it was read to its end{what_was_lost}."
    next_step = (
        "raise the stream's retention so that it outlasts an outage. To go on without its last records: set fail_on_data_loss "
        "to false; the loss is kept as an incident in the ledger either way."
    )
    causes = (
        "**a shard left the stream before it was read to its end**: it was closed by a reshard, and an outage was "
        "longer than the retention. The ledger keeps it as an incident"
    )
    remedy = "as FL-2008"

    @property
    def what_was_lost(self) -> str:
        return f": {self.lost}" if self.lost else ""


@declared
class ShardUnlisted(KinesisError, Retryable):
    """A listing lacks a shard that is being read, and what it says of the shard is needed."""

    stream: str
    shard_id: str

    id = "FL-2301"
    message = (
        "Shard {shard_id} of {stream!r} holds aggregates of the KPL, and the stream's listing lacks it: which hash "
        "keys are the shard's own is not known."
    )
    next_step = (
        "nothing is lost, and the shard goes on by itself: listings trail. If it lasts, look at what `aws kinesis "
        "list-shards` says of the stream."
    )
    causes = (
        "A shard holds aggregates of the KPL, and the listing of the stream lacks it for now: which hash keys are its "
        "own is not known ([aggregates](aggregates.md#after-a-resharding))"
    )
    remedy = "nothing: it is asked for again"


@declared
class StreamReplaced(KinesisError, Fatal):
    """A stream that was deleted and recreated is another one: its sequence numbers begin anew."""

    stream: str

    id = "FL-2013"
    message = (
        "The stream {stream!r} was deleted and recreated since this application began to read it: what the old one "
        "held and was not read is lost, and nothing that is known of it is true of the new one."
    )
    next_step = (
        "if that was meant, begin the new one: firnline resume --config engine.json --stream {stream} --from "
        "trim-horizon. If not, look at the stream's name, the region and the account."
    )
    causes = (
        "**the stream was deleted and recreated under its name**: other shards, other sequence numbers. "
        "Records of the old one that were not read are lost"
    )
    remedy = (
        "if it was meant: `firnline resume --config engine.json --stream STREAM --from trim-horizon`. If not: whose account and "
        "region is it?"
    )


@declared
class RetriesOver(KinesisError, Fatal):
    """A transient failure has come as often as the configuration allows."""

    shard: str
    operation: str
    field: str
    times: int
    last: FirnlineError

    id = "FL-2361"
    message = (
        "{operation} for shard {shard} has failed {times} times in a row, which is all that retries.{field}.attempts "
        "allows; the last time: [{last.id}] {last.what}"
    )
    next_step = (
        "the last failure's own: {last.next_step} Without retries.{field}.attempts the shard waits for as long as "
        "it takes; either way it is tried again after failures.retry_seconds."
    )
    causes = "An operation of Kinesis failed `retries.….attempts` times in a row; only if that is set"
    remedy = (
        "what the message says of the last failure; nothing is lost, the shard is tried again after "
        "`failures.retry_seconds`"
    )
