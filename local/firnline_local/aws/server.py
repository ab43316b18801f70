"""moto on 127.0.0.1, in werkzeug's threaded server."""

from collections.abc import Callable
from typing import Any
from wsgiref.types import WSGIApplication

from moto.server import DomainDispatcherApplication, create_backend_app  # type: ignore[attr-defined] # re-exported

from firnline_local.aws.application import AwsApplication
from firnline_local.aws.authorizer import Authorizer, allow_everything
from firnline_local.aws.moto_additions import add_to_moto, add_to_redshift
from firnline_local.faults import FaultPlan
from firnline_local.wsgi import WsgiServer


def application(faults: FaultPlan, authorizer: Authorizer = allow_everything) -> AwsApplication:
    """The application with moto behind it. moto's state is this process's: two applications share it."""
    add_to_moto()
    moto: Any = DomainDispatcherApplication(_backend_app)
    return AwsApplication(moto, faults, authorizer=authorizer)


def _backend_app(service: Any) -> Any:
    """Called with the first request to a service."""
    if service == "redshift":
        add_to_redshift()
    return create_backend_app(service)


class AwsServer(WsgiServer):
    """moto's state is this process's: reset it between tests."""

    def __init__(
        self, faults: FaultPlan | None = None, *, application_of: Callable[[FaultPlan], WSGIApplication] = application
    ) -> None:
        self.faults = faults or FaultPlan()
        super().__init__(application_of(self.faults), name="aws")
