"""Runs a Pulumi program in this process, and leaves the process as it was.

It runs in a thread of its own, with an event loop and a context of its own: Pulumi keeps its settings in context variables.
One call at a time reaches the monitor. The working directory is the process's, so two programs from files can't run at once.
"""

import asyncio
import contextlib
import contextvars
import runpy
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import yaml
from pulumi import runtime

from firnline_local.pulumi.in_process.monitor import Engine, Monitor

Program = Path | Callable[[], Awaitable[None] | None]
ENTRY = "__main__.py"


def project_of(program: Program) -> str:
    """As in the Pulumi.yaml beside it; else the program's own name."""
    if not isinstance(program, Path):
        return str(getattr(program, "__name__", "program"))
    description = _folder(program) / "Pulumi.yaml"
    if description.exists():
        return str(yaml.safe_load(description.read_text(encoding="utf-8"))["name"])
    return _folder(program).name


def run(program: Program, monitor: Monitor, *, project: str, stack: str, config: Mapping[str, str]) -> None:
    """Returns when all that the program registered is made. Raises what the program or the monitor raised first."""
    program = program.resolve() if isinstance(program, Path) else program  # seen from here, not from its own folder
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
    with _event_loop() as loop, _importing_from(program):
        loop.run_until_complete(runtime.run_in_stack(_callable(program)))


@contextmanager
def _event_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Closed with nothing left in it, also where the program failed half-way."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.set_default_executor(ThreadPoolExecutor(1, thread_name_prefix="pulumi-monitor"))
    loop.set_exception_handler(
        lambda *_: None
    )  # what depends on a failed resource fails too; the first error is reported
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


@contextmanager
def _importing_from(program: Program) -> Iterator[None]:
    """As the engine does it: the program's folder is where it runs, and the first from which it imports."""
    if not isinstance(program, Path):
        yield
        return
    folder, before = _folder(program), set(sys.modules)
    with contextlib.chdir(folder):
        sys.path.insert(0, str(folder))
        try:
            yield
        finally:
            sys.path.remove(str(folder))
            for name in set(sys.modules) - before:
                file = getattr(sys.modules[name], "__file__", None)
                if file and Path(file).is_relative_to(folder):
                    del sys.modules[name]


def _callable(program: Program) -> Callable[[], Awaitable[None] | None]:
    if not isinstance(program, Path):
        return program
    path = str(program / ENTRY if program.is_dir() else program)

    def run_program() -> None:
        runpy.run_path(path, run_name="__main__")

    return run_program


def _folder(program: Path) -> Path:
    return program.resolve() if program.is_dir() else program.resolve().parent
