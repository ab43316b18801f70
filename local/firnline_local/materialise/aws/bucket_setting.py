"""What the resources have in common that each are one setting of a bucket: put as a whole, read, removed.

Their id is the bucket's name. The service has one operation for making and replacing such a setting.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from firnline_local.materialise.aws.absence import none_if
from firnline_local.materialise.aws.inputs import changed, require_carried
from firnline_local.materialise.aws.wording import document_like, like
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules


@dataclass(frozen=True, kw_only=True)
class BucketSetting:
    type: str
    rules: Rules
    inputs: frozenset[str]
    put: Callable[[Any, str, Properties], object]
    """(the client, the bucket, the inputs)"""
    get: Callable[[Any, str], Properties]
    """Raises the client's error where there is no such setting."""
    remove: Callable[[Any, str], object]
    absent: tuple[str, ...]
    """The service's codes for a bucket that has no such setting."""

    def create(self, inputs: Properties, clients: Clients) -> Made:
        require_carried(self.type, inputs, self.inputs, region=clients.region)
        bucket = inputs["bucket"]
        self.put(clients.aws("s3"), bucket, inputs)
        return Made(bucket, self.read(bucket, inputs, clients) or {})

    def read(self, id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
        s3 = clients.aws("s3")
        try:
            found = self.get(s3, id_)
        except s3.exceptions.ClientError as error:
            none_if(error, "NoSuchBucket", *self.absent)
            return None
        said = {name: _as_said(name, value, properties.get(name)) for name, value in found.items()}
        return {"id": id_, "bucket": id_, "region": clients.region, **said}

    def update(self, id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
        require_carried(self.type, new, self.inputs, region=clients.region)
        if changed(old, new, self.rules):
            self.put(clients.aws("s3"), id_, new)
        return self.read(id_, new, clients) or {}

    def delete(self, id_: str, _: Properties, clients: Clients) -> None:
        s3 = clients.aws("s3")
        try:
            self.remove(s3, id_)
        except s3.exceptions.ClientError as error:
            none_if(error, "NoSuchBucket", *self.absent)


def _as_said(name: str, found: Any, known: Any) -> Any:
    return document_like(found, known) if name == "policy" else like(found, known)
