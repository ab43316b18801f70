"""The authorizer of the embedded AWS in tests: it knows the actions of each call, enforces policies, and notes the calls."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from firnline_local.aws.authorizer import Decision
from firnline_local.aws.call import Protocol, error_answer
from firnline_local.aws.parsed_call import ParsedCall
from firnline_local.wsgi import Answer
from tests.iam.accesses import accesses_of
from tests.iam.call_log import CallLog
from tests.iam.callers import Callers
from tests.iam.directory import MotoDirectory
from tests.iam.implied import implied
from tests.iam.request import Access, Request

DELETED = re.compile(rb"<Object>(.*?)</Object>", re.DOTALL)
DELETED_KEY = re.compile(rb"<Key>(.*?)</Key>", re.DOTALL)
NAMED_BY_THE_SERVICE = {"CreateSecret"}  # the ARN is known only once it is made


class IamAuthorizer:
    """Refuses what the policies of a caller don't allow, and notes every call with what it needs."""

    def __init__(self) -> None:
        self.log = CallLog()
        self.callers = Callers()

    def __call__(self, call: ParsedCall, /) -> Decision:
        accesses = _accesses(call)

        def record(succeeded: bool) -> None:
            operation = _operation(call, accesses)
            is_named_now = succeeded and operation in NAMED_BY_THE_SERVICE
            self.log.record(
                call.call.service,
                operation,
                access_key=call.access_key,
                succeeded=succeeded,
                accesses=_accesses(call) if is_named_now else accesses,
            )

        return Decision(
            refusal=self._refusal(call, accesses), principal=self.callers.principal(call.access_key), record=record
        )

    def _refusal(self, call: ParsedCall, accesses: tuple[Access, ...]) -> Answer | None:
        refused = self.callers.refused(call.access_key, accesses)
        if refused is None:
            return None
        protocol = call.call.protocol
        code = "AccessDeniedException" if protocol in (Protocol.JSON, Protocol.REST_JSON) else "AccessDenied"
        return error_answer(call.call, status=400 if protocol is Protocol.JSON else 403, code=code, message=refused[1])


def _accesses(call: ParsedCall) -> tuple[Access, ...]:
    directory = MotoDirectory(call.account, call.region)
    is_s3 = call.call.protocol is Protocol.REST_XML
    request = Request(
        service=call.call.service,
        operation=call.call.operation,
        account=call.account,
        region=call.region,
        directory=directory,
        parameters={**call.parameters, **_more_of_s3(call)} if is_s3 else call.parameters,
    )
    accesses = accesses_of(request)
    return (*accesses, *implied(request, accesses, directory))


def _operation(call: ParsedCall, accesses: tuple[Access, ...]) -> str:
    """Returns the operation; of a service whose operations lie in paths it is the name of the action."""
    if call.call.protocol not in (Protocol.REST_XML, Protocol.REST_JSON):
        return call.call.operation
    return accesses[0].action.partition(":")[2]


def _more_of_s3(call: ParsedCall) -> Mapping[str, Any]:
    """The headers (lower-case names), the keys that a batch deletes, and whether the body has tags."""
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): value
        for name, value in call.environ.items()
        if name.startswith("HTTP_X_AMZ_")
    }
    if source := headers.get("x-amz-copy-source"):
        headers["x-amz-copy-source"] = unquote(source)
    is_batch = call.call.operation == "POST" and "delete" in call.parameters["query"] and not call.parameters["key"]
    deleted = list(_deleted(call.body)) if is_batch else []
    return {"headers": headers, "deleted": deleted, "tagged": b"<Tag>" in call.body}


def _deleted(body: bytes) -> Iterator[tuple[str, bool]]:
    """Yields each key of a batch, and whether one version of it is deleted."""
    for each in DELETED.findall(body):
        if key := DELETED_KEY.search(each):
            yield key[1].decode(errors="replace"), b"<VersionId>" in each
