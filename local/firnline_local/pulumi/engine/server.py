"""Admits, listens on loopback, says the port, serves until it is asked to end."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from contextlib import contextmanager

import grpc
from pulumi.runtime.proto import provider_pb2_grpc

from firnline_ingest.errors import FirnlineError
from firnline_local.pulumi.admission import admit
from firnline_local.pulumi.cloud import Cloud
from firnline_local.pulumi.engine.servicer import EngineLog, Servicer
from firnline_local.running import RunningEnvironment

PACKAGES = ("aws", "snowflake")
THREADS = 64  # more than the engine asks for at once (four for each processor), and none is started before it is needed
MESSAGE_SIZE = 400 * 1024 * 1024  # the engine's own limit
OPTIONS = [("grpc.max_receive_message_length", MESSAGE_SIZE), ("grpc.max_send_message_length", MESSAGE_SIZE)]
GRACE_S = 1.0
ENDING = {signal.SIGINT, signal.SIGTERM}  # the engine ends its plugins with an interrupt


def main(arguments: Sequence[str], *, cloud_of: Callable[[str, RunningEnvironment], Cloud] = Cloud) -> int:
    package, *rest = arguments or [""]
    if package not in PACKAGES:
        print(f"usage: python -m firnline_local.pulumi.engine {'|'.join(PACKAGES)} [ENGINE]", file=sys.stderr)
        return 2
    try:
        environment = admit(package, os.environ)
    except FirnlineError as error:
        print(error, file=sys.stderr)
        return 1
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # before a thread starts, which would take it and do nothing
    log = EngineLog()
    if addresses := [each for each in rest if not each.startswith("-")]:
        log.attach(addresses[0])
    servicer = Servicer(cloud_of(package, environment), log)
    with serving(servicer) as port:
        print(port, flush=True)
        signal.sigwait(ENDING)
    return 0


@contextmanager
def serving(servicer: Servicer) -> Iterator[int]:
    """Yields the port."""
    server = grpc.server(futures.ThreadPoolExecutor(THREADS, thread_name_prefix="provider"), options=OPTIONS)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield port
    finally:
        server.stop(GRACE_S).wait()
        servicer.close()
