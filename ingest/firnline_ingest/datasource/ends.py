"""The ends of a batch's shards: one small file a shard and batch, written once.

Spark reads a batch again after a crash, and a task again after a failure. Then the end that was written down first counts, so
that the same batch has the same records each time: that is what makes a sink that knows a batch by its number exactly once.
"""

import json
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from botocore.exceptions import BotoCoreError, ClientError

from firnline_ingest.aws.client import aws_client
from firnline_ingest.datasource.errors import MetadataUnusable
from firnline_ingest.datasource.offset import ShardEnd
from firnline_ingest.datasource.options import SourceOptions

KEPT_BATCHES = 100
"""Spark keeps so many (spark.sql.streaming.minBatchesToRetain)."""
READERS = 16


class Store(Protocol):
    """Small texts by name. Each method raises MetadataUnusable."""

    def put_new(self, name: str, text: str) -> bool:
        """Returns False, and changes nothing, where there is one of this name."""

    def get(self, name: str) -> str | None: ...

    def list(self, prefix: str) -> list[str]: ...

    def remove(self, name: str) -> None: ...


class BatchEnds:
    """The ends of one query's batches."""

    def __init__(self, store: Store, query: str) -> None:
        self._store = store
        self._query = query

    @classmethod
    def of(cls, options: SourceOptions, query: str) -> "BatchEnds":
        assert options.metadata_path is not None, "a stream without one is refused"
        return cls(S3Store(options) if options.is_in_s3 else FolderStore(Path(options.metadata_path)), query)

    def get(self, batch: int, shard: str) -> ShardEnd | None:
        """Returns where the shard ended in this batch; None while nobody has read it to an end."""
        text = self._store.get(self._name(batch, shard))
        if text is None:
            return None
        try:
            document = json.loads(text)
            return ShardEnd(str(document["end"]), bool(document.get("is_cut")))
        except (ValueError, KeyError, TypeError):
            raise MetadataUnusable(self._name(batch, shard), "it is not an end that this source wrote") from None

    def put(self, batch: int, shard: str, end: ShardEnd) -> ShardEnd:
        """Returns the end that counts: this one, or one that was there before."""
        name = self._name(batch, shard)
        if self._store.put_new(name, json.dumps({"end": end.at, "is_cut": end.is_cut})):
            return end
        found = self.get(batch, shard)
        assert found is not None, "it is there, and nobody removes one of a batch that is read"
        return found

    def of_batch(self, batch: int) -> Mapping[str, ShardEnd]:
        """The ends of a batch, by shard."""
        prefix = f"{self._query}/{batch}/"
        shards = [name.removeprefix(prefix).removesuffix(".json") for name in self._store.list(prefix)]
        with ThreadPoolExecutor(READERS) as pool:
            found = pool.map(lambda shard: self.get(batch, shard), shards)
            return {shard: end for shard, end in zip(shards, found, strict=True) if end is not None}

    def forget_before(self, batch: int) -> None:
        """Removes the ends of the batch that Spark keeps no longer."""
        if batch > KEPT_BATCHES:
            for name in self._store.list(f"{self._query}/{batch - KEPT_BATCHES}/"):
                self._store.remove(name)

    def _name(self, batch: int, shard: str) -> str:
        return f"{self._query}/{batch}/{shard}.json"


class FolderStore:
    """A folder that driver and executors share. A file appears whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put_new(self, name: str, text: str) -> bool:
        path = self._folder / name
        part = path.with_name(f".{uuid4().hex}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with part.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            try:
                os.link(part, path)
            except FileExistsError:
                return False
            finally:
                part.unlink()
        except OSError as error:
            raise MetadataUnusable(str(path), error.strerror or str(error)) from error
        return True

    def get(self, name: str) -> str | None:
        try:
            return (self._folder / name).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise MetadataUnusable(str(self._folder / name), error.strerror or str(error)) from error

    def list(self, prefix: str) -> list[str]:
        return [f"{prefix}{path.name}" for path in sorted((self._folder / prefix).glob("*.json"))]

    def remove(self, name: str) -> None:
        path = self._folder / name
        path.unlink(missing_ok=True)
        with suppress(OSError):  # others are in it
            path.parent.rmdir()


class S3Store:
    """Objects below s3://BUCKET/FOLDER/. S3 answers a conditional write with 412 where the object is there, and with 409 where
    two write at once (S3's user guide, conditional writes).
    """

    def __init__(self, options: SourceOptions) -> None:
        bucket, _, folder = (options.metadata_path or "").removeprefix("s3://").partition("/")
        self._bucket, self._folder = bucket, f"{folder.strip('/')}/" if folder.strip("/") else ""
        self._client = aws_client(options.aws, "s3")

    def put_new(self, name: str, text: str) -> bool:
        try:
            self._call("put_object", name, Body=text.encode(), IfNoneMatch="*")
        except ClientError as error:
            if _code(error) in ("PreconditionFailed", "412"):
                return False
            if _code(error) == "ConditionalRequestConflict":
                return self.put_new(name, text)
            raise MetadataUnusable(self._place(name), str(error)) from error
        return True

    def get(self, name: str) -> str | None:
        try:
            found: bytes = self._call("get_object", name)["Body"].read()
        except ClientError as error:
            if _code(error) == "NoSuchKey":
                return None
            raise MetadataUnusable(self._place(name), str(error)) from error
        return found.decode()

    def list(self, prefix: str) -> list[str]:
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=self._folder + prefix
        )
        try:
            return [each["Key"].removeprefix(self._folder) for page in pages for each in page.get("Contents", [])]
        except (BotoCoreError, ClientError) as error:
            raise MetadataUnusable(self._place(prefix), str(error)) from error

    def remove(self, name: str) -> None:
        try:
            self._call("delete_object", name)
        except ClientError as error:
            raise MetadataUnusable(self._place(name), str(error)) from error

    def _call(self, operation: str, name: str, **more: Any) -> Any:
        try:
            return getattr(self._client, operation)(Bucket=self._bucket, Key=self._folder + name, **more)
        except BotoCoreError as error:
            raise MetadataUnusable(self._place(name), str(error)) from error

    def _place(self, name: str) -> str:
        return f"s3://{self._bucket}/{self._folder}{name}"


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))
