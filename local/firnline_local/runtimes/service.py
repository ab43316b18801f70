"""Common parts of the embedded runtimes' services: operations by name, tags by ARN, tokens, pages."""

import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

from firnline_local.runtimes.rest_json import ServiceError, invalid, not_found

Content = dict[str, Any]


class RuntimeService:
    """Answers the operations that it has a method for. Thread-safe."""

    name: ClassVar[str]
    """As boto3 calls it."""

    def __init__(self, account: str, region: str, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._account, self._region, self._clock = account, region, clock
        self._lock = threading.RLock()
        self._tags: dict[str, dict[str, str]] = {}
        """By ARN; of each thing that there is, also where it has none."""
        self._tokens: dict[str, tuple[Mapping[str, Any], Content]] = {}
        self._caller = ""
        """The ARN of who asks at present."""

    def answer(self, operation: str, parameters: Mapping[str, Any], caller: str) -> Content:
        """Raises ServiceError. `caller` is the ARN of who asks."""
        from botocore import xform_name

        answering = getattr(self, xform_name(operation), None)
        if answering is None:
            raise ServiceError(400, "UnknownOperationException", f"{operation} is not in the embedded {self.name}.")
        with self._lock:
            self._caller = caller
            found: Content = answering(parameters)
            return found

    def stop(self) -> None:
        """Ends what it runs."""

    def tags_of(self, parameters: Mapping[str, Any]) -> Mapping[str, str]:
        """The tags of what the request is about; for the authorizer."""
        with self._lock:
            return dict(self._tags.get(self.about(parameters), {}))

    def about(self, parameters: Mapping[str, Any]) -> str:
        """The ARN."""
        return str(parameters.get("resourceArn", ""))

    def list_tags_for_resource(self, given: Mapping[str, Any]) -> Content:
        return {"tags": self._tagged(given)}

    def tag_resource(self, given: Mapping[str, Any]) -> Content:
        self._tagged(given).update(given["tags"])
        return {}

    def untag_resource(self, given: Mapping[str, Any]) -> Content:
        for key in given["tagKeys"]:
            self._tagged(given).pop(key, None)
        return {}

    def arn(self, resource: str) -> str:
        return f"arn:aws:{self.name}:{self._region}:{self._account}:{resource}"

    def _once(
        self, token: str | None, given: Mapping[str, Any], refused: ServiceError, act: Callable[[], Content]
    ) -> Content:
        """A token that is known gets its first answer again; for something else it is `refused`."""
        if token is None:
            return act()
        if token not in self._tokens:
            self._tokens[token] = (dict(given), act())
        first, answer = self._tokens[token]
        if first != given:
            raise refused
        return answer

    def _tagged(self, given: Mapping[str, Any]) -> dict[str, str]:
        if given["resourceArn"] not in self._tags:
            raise not_found(f"Resource {given['resourceArn']} does not exist.")
        return self._tags[given["resourceArn"]]


LONGEST = 50


def page(name: str, items: Sequence[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Tokens say how many were answered before. Raises ServiceError for one that is none of ours."""
    token = given.get("nextToken", "0")
    if not token.isdecimal():
        raise invalid("nextToken is not valid.")
    first, count = int(token), int(given.get("maxResults", LONGEST))
    following = {"nextToken": str(first + count)} if first + count < len(items) else {}
    return {name: list(items[first : first + count]), **following}
