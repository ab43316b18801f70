"""The driver's JVM and the signals that would end it before the driver has proven its last rows.

Where we start it, it is in a process group of its own, so that a signal to ours passes it by, and it ignores SIGTERM, for a
supervisor that signals every process; it ends when its stdin does, with us. Under spark-submit the JVM is the parent and the
one that is signalled: there it hands its signals over.
"""

import logging
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext, java_gateway

pyspark_gateway: Any = java_gateway  # it has no types
SUBMITTED = "PYSPARK_GATEWAY_PORT"  # set by spark-submit, whose JVM waits for us there

log = logging.getLogger(__name__)
_parent = os.getppid()


def launch_jvm(settings: Mapping[str, str], heard: Callable[[int], None]) -> None:
    """Starts the JVM, once a process. `heard` gets the numbers of signals that the JVM received instead of this process."""
    if SparkContext._gateway is None:
        conf = SparkConf(loadDefaults=False)
        for name, value in settings.items():
            conf.set(name, value)
        SparkContext._ensure_initialized(gateway=pyspark_gateway.launch_gateway(conf, {"process_group": 0}))
    gateway: Any = SparkContext._gateway
    jvm = gateway.jvm
    try:
        if SUBMITTED in os.environ:
            pyspark_gateway.ensure_callback_server_started(gateway)
            handler: Any = _HandsOver(heard)
        else:
            handler = jvm.sun.misc.SignalHandler.SIG_IGN
        for name in ("TERM", "INT"):
            jvm.sun.misc.Signal.handle(jvm.sun.misc.Signal(name), handler)
    except (
        Py4JError
    ) as error:  # a JVM that keeps its signals for itself: a signal to it is a hard kill, and as safe as one
        log.warning("spark.signals_kept", extra={"cause": str(error)[:500]})


def is_jvm_gone() -> bool:
    """True if a JVM was started and has ended."""
    gateway: Any = SparkContext._gateway
    if gateway is None:
        return False
    process = gateway.proc
    return process.poll() is not None if process is not None else os.getppid() != _parent


def jvm_pid() -> int | None:
    """Returns the process that runs Spark on this machine; None where none was started."""
    gateway: Any = SparkContext._gateway
    if gateway is None:
        return None
    return _parent if gateway.proc is None else int(gateway.proc.pid)


def kill_jvm() -> None:
    """Kills the JVM if this process started it; Python workers end with it. Under spark-submit it outlives this process."""
    gateway: Any = SparkContext._gateway
    if gateway is not None and gateway.proc is not None:
        with suppress(OSError):
            gateway.proc.kill()


class _HandsOver:
    """Java's sun.misc.SignalHandler, called on a thread of the JVM's."""

    def __init__(self, heard: Callable[[int], None]) -> None:
        self._heard = heard

    def handle(self, received: Any) -> None:
        self._heard(received.getNumber())

    class Java:
        implements = ("sun.misc.SignalHandler",)
