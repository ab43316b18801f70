"""Serves the two providers on loopback, and says in a variable where they are."""

import json
import os
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import grpc

from firnline_local.pulumi.cloud import Cloud
from firnline_local.terraform.provider import TerraformProvider
from firnline_local.terraform.schema import SOURCES
from firnline_local.terraform.wire import CALLS, CLASSES, SERVICE

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment

THREADS, GRACE_S = 32, 1.0
OPTIONS = [("grpc.max_receive_message_length", 256 * 1024 * 1024)]


@contextmanager
def providing(
    environment: "RunningEnvironment", *, cloud_of: Callable[[str, "RunningEnvironment"], Cloud] = Cloud
) -> Iterator[dict[str, str]]:
    """Yields the variables with which `terraform` and `tofu` find the providers, while they are served."""
    with ExitStack() as stack:
        attached = {
            source: {
                "Protocol": "grpc",
                "ProtocolVersion": 6,
                "Pid": os.getpid(),
                "Test": True,
                "Addr": {"Network": "tcp", "String": stack.enter_context(_serving(cloud_of(package, environment)))},
            }
            for package, source in SOURCES.items()
        }
        yield {"TF_REATTACH_PROVIDERS": json.dumps(attached)}


@contextmanager
def _serving(cloud: Cloud) -> Iterator[str]:
    provider = TerraformProvider(cloud)
    server = grpc.server(futures.ThreadPoolExecutor(THREADS, thread_name_prefix="terraform"), options=OPTIONS)
    handlers = {name: _handler(getattr(provider, name), *call) for name, call in CALLS.items()}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(GRACE_S).wait()
        provider.close()


def _handler(answer: Callable[[Any], Any], asked: str, answered: str) -> Any:
    assert answered in CLASSES
    return grpc.unary_unary_rpc_method_handler(
        lambda request, _: answer(request), CLASSES[asked].FromString, lambda response: response.SerializeToString()
    )
