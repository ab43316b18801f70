"""A language host for Node.js where no release of Pulumi brings its own; programs run in Pulumi's own runner.

What runs a program is `@pulumi/pulumi/cmd/run` of the project's node_modules, as in the host of a release.
"""

import contextlib
import json
import os
import subprocess
import sys
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

from firnline_local.exit_with_parent import exit_when_parent_is_gone
from firnline_local.pulumi.engine.program import ALREADY_SHOWN

RUNNER = "@pulumi/pulumi/cmd/run/index.js"


class NodeHost(language_pb2_grpc.LanguageRuntimeServicer):
    def __init__(self, engine: str) -> None:
        self._engine = engine

    def Handshake(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._engine = request.engine_address or self._engine
        return language_pb2.LanguageHandshakeResponse()

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext) -> Any:
        return plugin_pb2.PluginInfo(version="3.250.0")

    def GetRequiredPackages(self, request: Any, context: grpc.ServicerContext) -> Any:
        """Reads the package.json of node_modules, as `pulumi package add` has it written."""
        modules = Path(request.info.program_directory) / "node_modules"
        found = []
        for file in modules.glob("@*/*/package.json"):
            plugin = json.loads(file.read_text()).get("pulumi", {})
            if plugin.get("resource"):
                version = f"v{plugin['version']}"
                found.append(plugin_pb2.PackageDependency(name=plugin["name"], kind="resource", version=version))
        return language_pb2.GetRequiredPackagesResponse(packages=found)

    def Run(self, request: Any, context: grpc.ServicerContext) -> Any:
        folder = Path(request.info.program_directory)
        options = {
            "monitor": request.monitor_address,
            "engine": self._engine,
            "project": request.project,
            "stack": request.stack,
            "organization": request.organization,
            "root-directory": request.info.root_directory,
            "pwd": request.pwd,
            "parallel": str(request.parallel),
        }
        said = [part for name, value in options.items() for part in (f"--{name}", value)]
        command = ["node", str(folder / "node_modules" / RUNNER), *said, *(["--dry-run"] if request.dryRun else [])]
        config = {
            "PULUMI_CONFIG": json.dumps(dict(request.config)),
            "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(request.configSecretKeys)),
        }
        entry = request.info.entry_point or "."
        program = subprocess.run([*command, entry], cwd=folder, env={**os.environ, **config}, check=False)
        if program.returncode in {0, ALREADY_SHOWN}:
            return language_pb2.RunResponse(bail=program.returncode == ALREADY_SHOWN)
        return language_pb2.RunResponse(error=f"The program ended with status {program.returncode}.")

    def Cancel(self, request: Any, context: grpc.ServicerContext) -> Any:
        return empty_pb2.Empty()


def main() -> None:
    exit_when_parent_is_gone()
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
    host = NodeHost(next((each for each in reversed(sys.argv[1:]) if not each.startswith("-")), ""))
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(host, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        server.wait_for_termination()


if __name__ == "__main__":
    main()
