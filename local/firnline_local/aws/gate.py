"""What every call passes before moto answers it: it is understood, noted, and refused where AWS would refuse it."""

from dataclasses import dataclass
from wsgiref.types import WSGIEnvironment

from firnline_local.aws.call import Call, Protocol
from firnline_local.aws.implied import implied
from firnline_local.aws.moto_world import MotoWorld, account_id
from firnline_local.aws.reading import credential, read_request, region_of
from firnline_local.aws.refusal import Refusal, refuse
from firnline_local.aws.strictness import objection
from firnline_local.iam.accesses import accesses_of
from firnline_local.iam.call_log import CallLog
from firnline_local.iam.callers import Callers
from firnline_local.iam.request import Access, Request

NAMED_BY_THE_SERVICE = {"CreateSecret"}  # the ARN is known only once it is made


@dataclass(frozen=True, slots=True)
class Seen:
    """A call that was understood."""

    call: Call
    request: Request
    world: MotoWorld
    access_key: str
    accesses: tuple[Access, ...]

    @property
    def operation(self) -> str:
        """S3's by its action."""
        return (
            self.accesses[0].action.partition(":")[2]
            if self.call.protocol is Protocol.REST_XML
            else self.call.operation
        )


class Gate:
    """Whoever calls `look` or `refusal` keeps moto still meanwhile."""

    def __init__(self) -> None:
        self.log = CallLog()
        self.callers = Callers()

    def look(self, call: Call, environ: WSGIEnvironment) -> Seen:
        account = account_id()
        world = MotoWorld(account, region_of(environ))
        request = read_request(call, environ, world, account=account)
        return Seen(call, request, world, credential(environ).access_key, _accesses(request, world))

    def refusal(self, seen: Seen, environ: WSGIEnvironment) -> Refusal | None:
        """Of a caller whose policies are enforced, and of what AWS is stricter about than moto."""
        call = seen.call
        if refused := self.callers.refused(seen.access_key, seen.accesses):
            _, sentence = refused
            code = "AccessDeniedException" if call.protocol is Protocol.JSON else "AccessDenied"
            return refuse(call, status=400 if call.protocol is Protocol.JSON else 403, code=code, message=sentence)
        given = self.callers.principal(seen.access_key)
        principals = (given,) if given else seen.world.principals(seen.access_key)
        body: bytes = environ["wsgi.input"].getvalue()
        found = objection(seen.request, seen.operation, body, principals=principals, world=seen.world)
        return refuse(call, status=found.status, code=found.code, message=found.message) if found else None

    def record(self, seen: Seen, *, succeeded: bool) -> None:
        accesses = seen.accesses
        if succeeded and seen.operation in NAMED_BY_THE_SERVICE:
            accesses = _accesses(seen.request, seen.world)
        self.log.record(
            seen.call.service,
            seen.operation,
            access_key=seen.access_key,
            succeeded=succeeded,
            accesses=accesses,
        )


def _accesses(request: Request, world: MotoWorld) -> tuple[Access, ...]:
    accesses = accesses_of(request)
    return (*accesses, *implied(request, accesses, world))
