"""Applies a Pulumi program to an embedded environment, without the engine: the same checks, the same providers.

What was made is kept in the Application: applied again, it changes what differs, as `pulumi up --refresh` does, and it can
take everything away again. Calls are plain and synchronous, from any thread. Each run has a thread of its own, with an event loop
and a context of its own: Pulumi keeps its settings in context variables.
"""

import asyncio
import contextvars
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from pulumi import runtime

from firnline_local.pulumi.in_process.deployment import Deployment, Record
from firnline_local.pulumi.in_process.monitor import Engine, Monitor

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment

Program = Callable[[], Awaitable[None] | None]


class ProgramApplication:
    """A program in an environment."""

    def __init__(self, environment: "RunningEnvironment") -> None:
        self.resources: list[Record] = []
        """In the order in which they were made; also after a failure."""
        self.outputs: dict[str, Any] = {}
        self.state: dict[str, Any] = {}
        """The last run's, for `pulumi stack import`; empty until one has succeeded."""
        self._environment = environment

    def up(
        self, program: Program, *, stack: str, project: str, config: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """The stack's outputs, once all is made. `config` is the stack's, with full names (`aws:region`).

        Raises what the program raises, and a LocalError for what is refused. What was made until then stays.
        """
        config = config or {}
        with closing(Deployment(self._environment, config=config, records=self.resources)) as deployment:
            monitor = Monitor(deployment, project=project, stack=stack)
            try:
                run(program, monitor, project=project, stack=stack, config=config)
                deployment.delete_the_unnamed()
            finally:
                self.resources = deployment.records
        self.outputs = monitor.outputs
        self.state = monitor.state.as_mapping()
        return self.outputs

    def destroy(self, *, config: Mapping[str, str] | None = None) -> None:
        """Takes away what was made, last made first. Raises DeletionRefused or ServiceRefused; the rest stays known."""
        with closing(Deployment(self._environment, config=config or {}, records=self.resources)) as deployment:
            try:
                deployment.delete_the_unnamed()
            finally:
                self.resources = deployment.records
        self.outputs, self.state = {}, {}


def run(program: Program, monitor: Monitor, *, project: str, stack: str, config: Mapping[str, str]) -> None:
    """Returns when all that the program registered is made. Raises what the program or the monitor raised first."""
    outcome: Future[None] = Future()

    def in_own_thread() -> None:
        try:
            contextvars.Context().run(_run, program, monitor, project, stack, config)
        except BaseException as error:  # the caller's, as if it had been raised there
            outcome.set_exception(error)
        else:
            outcome.set_result(None)

    threading.Thread(target=in_own_thread, name=f"pulumi-{project}", daemon=True).start()
    outcome.result()


def _run(program: Program, monitor: Monitor, project: str, stack: str, config: Mapping[str, str]) -> None:
    settings = runtime.Settings(
        project=project, stack=stack, monitor=monitor, engine=Engine(), dry_run=False, organization="organization"
    )
    runtime.configure(settings)
    runtime.set_all_config(dict(config), [])
    with _event_loop() as loop:
        loop.run_until_complete(runtime.run_in_stack(program))


@contextmanager
def _event_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """One call at a time reaches the monitor. Closed with nothing left in it, also where the program failed half-way."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.set_default_executor(ThreadPoolExecutor(1, thread_name_prefix="pulumi-monitor"))
    # What depends on a failed resource fails too; the first error is reported.
    loop.set_exception_handler(lambda *_: None)
    try:
        yield loop
    finally:
        pending = asyncio.all_tasks(loop)
        for task in pending:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        asyncio.set_event_loop(None)
        loop.close()
