"""Listing the shards of a stream, with the service's six filters page by page, and changing them."""

from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from firnline_local.kinesis.errors import FakeKinesisError, in_use, invalid_argument, limit_exceeded, validation
from firnline_local.kinesis.iterator import LIFETIME_MS, seal, unseal
from firnline_local.kinesis.operations.request import (
    ApiRequest,
    Count,
    StreamRequest,
    Timestamp,
    changing,
    timestamp_ms,
)
from firnline_local.kinesis.shard import Shard
from firnline_local.kinesis.stream import CREATING, PROVISIONED, KinesisAccount, Stream, merge, rescale, split

MAX_LISTED = 1000
FILTERS = {"AFTER_SHARD_ID", "AT_TRIM_HORIZON", "FROM_TRIM_HORIZON", "AT_LATEST", "AT_TIMESTAMP", "FROM_TIMESTAMP"}


class ShardFilter(ApiRequest):
    type: str
    shard_id: str | None = None
    timestamp: Timestamp | None = None


class ListShards(StreamRequest, kw_only=True):
    next_token: str | None = None
    exclusive_start_shard_id: str = ""
    max_results: Annotated[int, Meta(ge=1, le=10000)] = MAX_LISTED
    stream_creation_timestamp: Timestamp | None = None
    shard_filter: ShardFilter | None = None


class ListingToken(msgspec.Struct, array_like=True):
    """The same listing, after the last shard that was shown."""

    stream_tag: int
    filter: str
    timestamp_ms: int
    after_shard_id: str
    made_ms: int


class SplitShard(StreamRequest, kw_only=True):
    shard_to_split: str
    new_starting_hash_key: Annotated[str, Meta(pattern=r"^(0|[1-9]\d{0,38})$")]


class MergeShards(StreamRequest, kw_only=True):
    shard_to_merge: str
    adjacent_shard_to_merge: str


class UpdateShardCount(StreamRequest, kw_only=True):
    target_shard_count: Count
    scaling_type: str


def list_shards(account: KinesisAccount, request: ListShards) -> dict[str, Any]:
    now_ms = account.now_ms()
    token = _listing(account, request, now_ms)
    stream = account.find_by_tag(token.stream_tag)
    account.meter(stream.listings, "ListShards")
    shards = _shown(
        _filtered(
            stream,
            token.filter,
            after_shard_id=token.after_shard_id,
            timestamp_ms=token.timestamp_ms,
            now_ms=now_ms,
        )
    )
    page = shards[: min(request.max_results, MAX_LISTED)]
    answer: dict[str, Any] = {"Shards": [shard.as_json() for shard in page]}
    if len(page) < len(shards):
        answer["NextToken"] = seal(msgspec.structs.replace(token, after_shard_id=page[-1].id, made_ms=now_ms))
    return answer


def _listing(account: KinesisAccount, request: ListShards, now_ms: int) -> ListingToken:
    if request.next_token is not None:
        return _continued(request.next_token, request, now_ms)
    stream = request.stream(account)
    if stream.status(now_ms) == CREATING:
        raise in_use(f"Stream {stream.name} is CREATING, and has to be ACTIVE.")
    created = request.stream_creation_timestamp
    if created is not None and timestamp_ms(created) // 1000 != stream.created_ms // 1000:
        raise FakeKinesisError("ResourceNotFoundException", f"No stream {stream.name} was created at that time.")
    wanted = request.shard_filter or ShardFilter(type="FROM_TRIM_HORIZON")
    if (wanted.timestamp is not None) != wanted.type.endswith("_TIMESTAMP"):
        raise invalid_argument(
            "A shard filter has a Timestamp if its type is AT_TIMESTAMP or FROM_TIMESTAMP, and only then."
        )
    if (wanted.shard_id is not None) != (wanted.type == "AFTER_SHARD_ID"):
        raise invalid_argument("A shard filter has a ShardId if its type is AFTER_SHARD_ID, and only then.")
    return ListingToken(
        stream_tag=stream.tag,
        filter=wanted.type,
        timestamp_ms=timestamp_ms(wanted.timestamp or 0),
        after_shard_id=max(wanted.shard_id or "", request.exclusive_start_shard_id),
        made_ms=now_ms,
    )


def _continued(next_token: str, request: ListShards, now_ms: int) -> ListingToken:
    if request.stream_name or request.exclusive_start_shard_id or request.stream_creation_timestamp:
        raise invalid_argument("NextToken names the stream and the place by itself: leave the other parameters out.")
    try:
        token = unseal(next_token, ListingToken)
    except (ValueError, msgspec.MsgspecError) as error:
        raise invalid_argument("Invalid NextToken.") from error
    if now_ms > token.made_ms + LIFETIME_MS:
        raise FakeKinesisError("ExpiredNextTokenException", f"The token is older than {LIFETIME_MS} ms.")
    return token


def _filtered(
    stream: Stream, kind: str, *, after_shard_id: str = "", timestamp_ms: int = 0, now_ms: int
) -> list[Shard]:
    """Shards that have not expired, in the order of their ids; those after `after_shard_id` alone."""
    if kind == "AT_TIMESTAMP" and timestamp_ms < max(stream.created_ms, stream.horizon_ms(now_ms)):
        kind = "AT_TRIM_HORIZON"
    shards: Iterable[Shard] = stream.shards.values()
    if kind == "AT_LATEST":
        shards = stream.open_shards
    elif kind == "AT_TRIM_HORIZON":
        known = {shard.id for shard in stream.shards.values()}
        shards = [shard for shard in shards if known.isdisjoint(shard.parent_ids)]
    elif kind == "AT_TIMESTAMP":
        shards = [shard for shard in shards if shard.created_ms <= timestamp_ms and _outlived(shard, timestamp_ms)]
    elif kind == "FROM_TIMESTAMP":
        shards = [shard for shard in shards if _outlived(shard, timestamp_ms)]
    elif kind not in FILTERS:
        raise invalid_argument(f"{kind} is not a shard filter; there are {', '.join(sorted(FILTERS))}.")
    return sorted((shard for shard in shards if shard.id > after_shard_id), key=lambda shard: shard.number)


def _shown(shards: list[Shard]) -> list[Shard]:
    """The shards without those that this answer leaves out: listings are eventually consistent."""
    shown = [shard for shard in shards if not shard.omissions]
    for shard in shards:
        shard.omissions = max(0, shard.omissions - 1)
    return shown


def _outlived(shard: Shard, timestamp_ms: int) -> bool:
    return shard.closed_ms is None or shard.closed_ms >= timestamp_ms


def split_shard(account: KinesisAccount, request: SplitShard) -> None:
    stream = _provisioned(request.stream(account))
    shard = stream.shard(request.shard_to_split)
    split(stream, shard, at=int(request.new_starting_hash_key), now_ms=account.now_ms())


def merge_shards(account: KinesisAccount, request: MergeShards) -> None:
    stream = _provisioned(request.stream(account))
    shard, adjacent = stream.shard(request.shard_to_merge), stream.shard(request.adjacent_shard_to_merge)
    merge(stream, shard, adjacent, now_ms=account.now_ms())


def update_shard_count(account: KinesisAccount, request: UpdateShardCount) -> dict[str, Any]:
    stream = _provisioned(request.stream(account))
    current, target = len(stream.open_shards), request.target_shard_count
    if request.scaling_type != "UNIFORM_SCALING":
        raise invalid_argument("ScalingType has to be UNIFORM_SCALING.")
    if not current <= 2 * target <= 4 * current:
        raise limit_exceeded(f"{stream.name} has {current} shards: it scales at most to double or to half of that.")
    rescale(stream, target, now_ms=account.now_ms())
    return {
        "StreamName": stream.name,
        "StreamARN": stream.arn,
        "CurrentShardCount": current,
        "TargetShardCount": target,
    }


def _provisioned(stream: Stream) -> Stream:
    if stream.settings.mode != PROVISIONED:
        raise validation(f"Stream {stream.name} is in on-demand mode, where the service alone changes the shards.")
    return stream


OPERATIONS = {
    "ListShards": (ListShards, list_shards),
    "MergeShards": (MergeShards, changing(merge_shards)),
    "SplitShard": (SplitShard, changing(split_shard)),
    "UpdateShardCount": (UpdateShardCount, changing(update_shard_count)),
}
