"""From the configuration to the store: the one place that decides where dead letters go.

A caller that asks for a folder pays for no AWS client.
"""

from typing import TYPE_CHECKING, cast

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.dead_letters.choice import DeadLetterReader
from firnline_ingest.dead_letters.errors import DeadLettersOfOneMachine, NotReplayable
from firnline_ingest.dead_letters.folder import FolderObjects, LocalFolder
from firnline_ingest.dead_letters.letter import DeadLetterStore

if TYPE_CHECKING:
    from firnline_ingest.dead_letters.s3 import S3Folder
    from firnline_ingest.dead_letters.stream import DeadLetterStream


def open_store(config: EngineConfig, *, connections: int = 10) -> DeadLetterStore:
    """Asks nothing of it yet. `connections`: how many threads put at once without waiting for one another."""
    place = config.dead_letters
    if place.folder is not None:
        return LocalFolder(place.folder)
    return _remote(config, connections)


def open_reader(config: EngineConfig) -> DeadLetterReader:
    """The same store, for readers. Sends no request yet."""
    folder = config.dead_letters.folder
    return LocalFolder(folder) if folder is not None else _remote(config, connections=1)


def open_objects(config: EngineConfig) -> "FolderObjects | S3Folder":
    """Opens what may be kept beside the dead letters. Raises NotReplayable where they are on a stream."""
    folder = config.dead_letters.folder
    if folder is not None:
        return FolderObjects(folder)
    remote = _remote(config, connections=1)
    if config.dead_letters.stream is not None:
        raise NotReplayable(config.dead_letters.stream)
    return cast("S3Folder", remote)


def check_place(config: EngineConfig) -> str:
    """Shows that dead letters can be kept, as far as that can be known without keeping one. Returns where.

    A bucket's folder gets its label, once. Whether a folder of this machine can be written is not asked here. Raises
    DeadLettersOfOneMachine where workers are elsewhere, and what the services answer as DeadLetterErrors.
    """
    folder, master = config.dead_letters.folder, config.spark.master
    if folder is None:
        return _remote(config, connections=1).check()
    if not (master or "").startswith("local"):
        raise DeadLettersOfOneMachine(str(folder), master)
    return str(folder)


def _remote(config: EngineConfig, connections: int) -> "S3Folder | DeadLetterStream":
    from firnline_ingest.aws.client import aws_client
    from firnline_ingest.dead_letters.s3 import S3Folder
    from firnline_ingest.dead_letters.stream import DeadLetterStream

    place = config.dead_letters
    if place.s3 is None:
        assert place.stream is not None, "the configuration names exactly one place"
        return DeadLetterStream(aws_client(config.aws, "kinesis", connections=connections), place.stream)
    bucket, _, folder = place.s3.removeprefix("s3://").partition("/")
    client = aws_client(config.aws, "s3", connections=connections)
    return S3Folder(client, bucket, folder, kms_key_arn=place.kms_key_arn)
