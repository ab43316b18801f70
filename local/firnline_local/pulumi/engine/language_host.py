"""Serves `pulumirpc.LanguageRuntime`: what the engine asks of a language, answered for Python.

The engine reads the port from the first line of stdout; all that follows there and on stderr, the program's output
among it, it shows as diagnostics. Everything but running a program is the stock host's business.
"""

# ruff: noqa: N802 (the service's names are its protocol's)

import contextlib
import importlib.metadata
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent import futures
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import empty_pb2, json_format
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

from firnline_local.pulumi.engine.program import ALREADY_SHOWN

PROGRAM = "firnline_local.pulumi.engine.program"
CALLS_AT_ONCE = 8
OPTIONS = [("grpc.max_receive_message_length", 400 << 20)]  # the engine's own limit
LIST = """
import json, pathlib, sys
plugins = [json.loads(file.read_text()) for place in sys.path for file in pathlib.Path(place).glob("*/pulumi-plugin.json")]
print(json.dumps(plugins))
"""


class NoInterpreter(Exception):
    """The project names a virtual environment that is none."""


@dataclass(frozen=True)
class Plugin:
    """A provider that an installed package can't do without (its `pulumi-plugin.json`)."""

    name: str
    version: str
    server: str


def interpreter_of(options: Mapping[str, Any], *, root: Path) -> Path:
    """The interpreter of the project's `runtime.options.virtualenv`, else this one. Raises NoInterpreter."""
    virtualenv = options.get("virtualenv")
    if not virtualenv:
        return Path(sys.executable)
    interpreter = root / str(virtualenv) / "bin" / "python"
    if not interpreter.exists():
        raise NoInterpreter(
            f"Pulumi.yaml names the virtual environment {virtualenv}, and there is no {interpreter}. "
            f"Next: make it, or leave out runtime.options.virtualenv to use {sys.executable}."
        )
    return interpreter


def required_by(interpreter: Path) -> tuple[Plugin, ...]:
    """The providers of the packages that are installed beside an interpreter."""
    result = subprocess.run([interpreter, "-P", "-c", LIST], stdout=subprocess.PIPE, text=True, check=True)
    return tuple(
        Plugin(name=plugin["name"], version=plugin["version"].removeprefix("v"), server=plugin.get("server", ""))
        for plugin in json.loads(result.stdout)
        if plugin.get("resource")
    )


class PythonHost(language_pb2_grpc.LanguageRuntimeServicer):
    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._programs: set[subprocess.Popen[bytes]] = set()

    def Handshake(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._engine = request.engine_address or self._engine
        return language_pb2.LanguageHandshakeResponse()

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext) -> Any:
        return plugin_pb2.PluginInfo(version=importlib.metadata.version("pulumi"))

    def GetRequiredPackages(self, request: Any, context: grpc.ServicerContext) -> Any:
        try:
            plugins = required_by(_interpreter(request.info))
        except NoInterpreter as unusable:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(unusable))
            raise  # abort has raised already; the type checker can't know
        packages = [
            plugin_pb2.PackageDependency(
                name=plugin.name, kind="resource", version=f"v{plugin.version}", server=plugin.server
            )
            for plugin in plugins
        ]
        return language_pb2.GetRequiredPackagesResponse(packages=packages)

    def Run(self, request: Any, context: grpc.ServicerContext) -> Any:
        """Runs the program once, to its end."""
        try:
            interpreter = _interpreter(request.info)
        except NoInterpreter as unusable:
            return language_pb2.RunResponse(error=str(unusable))
        program = subprocess.Popen(
            [interpreter, "-P", "-u", "-m", PROGRAM, json.dumps(self._settings(request)), *request.args],
            cwd=request.pwd,
            env={
                **os.environ,
                "PULUMI_CONFIG": json.dumps(dict(request.config)),
                "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(request.configSecretKeys)),
            },
            stdin=subprocess.DEVNULL,
        )
        self._programs.add(program)
        status = program.wait()
        self._programs.discard(program)
        if status in {0, ALREADY_SHOWN}:
            return language_pb2.RunResponse(bail=status == ALREADY_SHOWN)
        return language_pb2.RunResponse(error=f"The program ended with status {status}.")

    def RunPlugin(self, request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        """Runs a policy pack until the engine needs it no more. Its first line is its port; what it says on stderr is shown."""
        try:
            interpreter = _interpreter(request.info)
        except NoInterpreter as unusable:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(unusable))
        plugin = subprocess.Popen(
            [interpreter, "-u", _program(request.info), *request.args],
            cwd=request.pwd,
            env={**os.environ, **dict(each.split("=", 1) for each in request.env)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        self._programs.add(plugin)
        context.add_callback(plugin.terminate)
        assert plugin.stdout is not None
        for line in plugin.stdout:
            yield language_pb2.RunPluginResponse(stdout=line)
        yield language_pb2.RunPluginResponse(exitcode=plugin.wait())
        self._programs.discard(plugin)

    def InstallDependencies(self, request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        """Installs nothing: a plugin from a folder runs in the environment that its manifest names, else in this one."""
        return iter(())

    def Cancel(self, request: Any, context: grpc.ServicerContext) -> Any:
        for program in tuple(self._programs):
            program.terminate()
        return empty_pb2.Empty()

    def _settings(self, request: Any) -> dict[str, Any]:
        """Returns what program.py takes."""
        return {
            "parent_pid": os.getpid(),
            "program": _program(request.info),
            "monitor": request.monitor_address,
            "engine": self._engine,
            "project": request.project,
            "stack": request.stack,
            "organization": request.organization,
            "root_directory": request.info.root_directory,
            "parallel": request.parallel,
            "dry_run": request.dryRun,
        }


def _program(info: Any) -> str:
    return os.path.normpath(Path(info.program_directory, info.entry_point or "."))


def _interpreter(info: Any) -> Path:
    options = json_format.MessageToDict(info.options) if info.HasField("options") else {}
    return interpreter_of(options, root=Path(info.root_directory or "."))


def main(arguments: Sequence[str]) -> int:
    """Serves until the engine interrupts it."""
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=CALLS_AT_ONCE), options=OPTIONS)
    host = PythonHost(next((each for each in reversed(arguments) if not each.startswith("-")), ""))
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(host, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        server.wait_for_termination()
    return 0
