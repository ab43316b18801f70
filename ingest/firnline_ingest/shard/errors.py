"""Troubles that keep a shard from going on though no service has refused; passing, and reported while they last."""

from collections.abc import Sequence

from firnline_ingest.errors import Fatal, FirnlineError, Retryable, declared
from firnline_ingest.values import ShardKey


@declared
class ShardLate(FirnlineError, Retryable):
    """A shard's thread is inside one call, and its task did not wait for it."""

    key: ShardKey
    doing: str
    for_s: float
    functions: Sequence[str] = ()
    """Functions of the user that it may be inside of."""

    id = "FL-2201"
    message = "Shard {key} has been {doing}{by} for {for_s:.0f} s, and did not report."
    next_step = "nothing is lost, and it goes on when that call returns; if it lasts, {lasting}."
    causes = "One call of the shard has lasted half a minute, or a stop did not wait for it any longer"
    remedy = "the service that the call is for"

    @property
    def by(self) -> str:
        return f" (by {', '.join(self.functions)})" if self.functions else ""

    @property
    def lasting(self) -> str:
        return (
            "stop the engine and fix the function" if self.functions else "look at the service that the call waits for"
        )


@declared
class OpeningLasts(FirnlineError, Retryable):
    """A shard that is not read, because its channel is not open yet."""

    key: ShardKey
    for_s: float
    cause: str

    id = "FL-2202"
    message = "Shard {key} has been opening its channel for {for_s:.0f} s{cause}."
    next_step = (
        "nothing is lost, and it goes on trying. firnline validate says what such a client is answered; look at "
        "Snowflake's status, and at the network between."
    )
    causes = "A channel could not be opened for three minutes"
    remedy = "Snowflake's status, the network, the key; `firnline validate`"


@declared
class ShardUnanswered(FirnlineError, Retryable):
    """A shard whose records can't be seen, so that their number is not known."""

    key: ShardKey
    for_s: float
    cause: str

    id = "FL-2203"
    message = "Shard {key} was not read for {for_s:.0f} s: {cause}"
    next_step = (
        "nothing is lost while the stream keeps its records, and reading goes on by itself; look at the cause, at the "
        "network and at aws.endpoints."
    )
    causes = "The shard was not read for two minutes; the cause is in the message"
    remedy = "the cause. Mind the stream's retention"


@declared
class RecordsUnaccounted(FirnlineError, Fatal):
    """Records that became no row, no dead letter, and nothing else that is counted: a defect, found before it could lose them."""

    key: ShardKey
    count: int
    first: str
    last: str

    id = "FL-2204"
    message = (
        "Shard {key}: of the records {first} to {last}, {count} came to nothing. Neither they nor what stands behind them is in "
        "the table."
    )
    next_step = (
        "this is a defect of ours: please report it, with the pipeline's format and transforms. Nothing is lost "
        "while the stream keeps its records."
    )
    causes = (
        "Records became no row, no dead letter, and nothing else that is counted. The shard stopped in front of them: a "
        "defect of ours"
    )
    remedy = (
        "report it, with the pipeline's format and transforms; lengthen the stream's retention if the fix takes long"
    )
