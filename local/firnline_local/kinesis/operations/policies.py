"""The policies that a stream or a consumer has itself, which let other accounts in. They are kept, and have no effect."""

from typing import Any, Protocol

from firnline_local.kinesis.operations.consumers_and_tags import CONSUMER_PART, find_consumer
from firnline_local.kinesis.operations.request import ApiRequest
from firnline_local.kinesis.stream import KinesisAccount

NONE = "{}"


class Opened(Protocol):
    policy: str


class OfResource(ApiRequest):
    resource_arn: str

    def opened(self, account: KinesisAccount) -> Opened:
        """Raises ResourceNotFoundException."""
        if CONSUMER_PART in self.resource_arn:
            return find_consumer(account, consumer_arn=self.resource_arn)
        return account.find(arn=self.resource_arn).settings


class PutResourcePolicy(OfResource, kw_only=True):
    policy: str


def put(account: KinesisAccount, request: PutResourcePolicy) -> None:
    request.opened(account).policy = request.policy


def get(account: KinesisAccount, request: OfResource) -> dict[str, Any]:
    return {"Policy": request.opened(account).policy or NONE}


def delete(account: KinesisAccount, request: OfResource) -> None:
    request.opened(account).policy = ""


OPERATIONS = {
    "DeleteResourcePolicy": (OfResource, delete),
    "GetResourcePolicy": (OfResource, get),
    "PutResourcePolicy": (PutResourcePolicy, put),
}
