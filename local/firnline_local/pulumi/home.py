"""A Pulumi home of the embedded environment's own, in which the engine finds our providers and no others.

An engine that runs with `variables` never meets a cloud: it looks for plugins nowhere else and downloads none, finds no
credentials of the user's, and leaves nothing outside the home's folder and its backend.
"""

import importlib.metadata
import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firnline_infra.pulumi_cli.run import engine_variables

MODULE = "firnline_local.pulumi.engine"
PROVIDERS = ("aws", "snowflake")
HOST = "pulumi-language-python"
NOWHERE = {
    "AWS_ACCESS_KEY_ID": "embedded",
    "AWS_SECRET_ACCESS_KEY": "embedded",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
    "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    "PULUMI_IGNORE_AMBIENT_PLUGINS": "true",
}
USERS_OWN = ("AWS_", "PULUMI_", "SNOWFLAKE_")
PROXIES = {"ALL_PROXY", "GRPC_PROXY", "HTTP_PROXY", "HTTPS_PROXY"}


@dataclass(frozen=True)
class ProviderModule:
    """The module that a home's provider plugins run, as `python -m`. Tests name one of their own, which pauses (tests/pulumi)."""

    name: str = MODULE
    folder: Path | None = None
    """Searched for the module before all else; needed for one that is not installed."""


INSTALLED = ProviderModule()


@dataclass(frozen=True)
class PulumiHome:
    folder: Path

    @classmethod
    def write(cls, folder: Path, provider: ProviderModule = INSTALLED) -> "PulumiHome":
        """Makes the home in a folder, or brings an older one up to date. Its plugins run with this interpreter."""
        home = cls(folder.resolve())
        for package in PROVIDERS:
            version = importlib.metadata.version(f"pulumi-{package}")
            home._add_plugin("resource", package, version, [provider.name, package], search=provider.folder)
        home._add_plugin("language", "python", importlib.metadata.version("pulumi"), [MODULE, "python"])
        (home.folder / "tmp").mkdir(exist_ok=True)
        return home

    def cli(self, found: Path) -> Path:
        """The CLI to use in this home. A release has a stock language host beside its CLI, which the engine prefers to
        that of any home; such a CLI gets a second place, where ours is."""
        if not found.resolve().with_name(HOST).exists():
            return found
        own = self.folder / "bin" / "pulumi"
        own.parent.mkdir(exist_ok=True)
        own.unlink(missing_ok=True)
        try:
            os.link(found.resolve(), own)
        except OSError:  # another file system
            shutil.copy2(found.resolve(), own)
        return own

    def variables(
        self, *, backend: str, passphrase: str, environment: Mapping[str, str] | None = None
    ) -> dict[str, str]:
        """All that the engine, and what it starts, may see. `environment`: this process's own by default."""
        around = {
            name: value
            for name, value in (os.environ if environment is None else environment).items()
            if not name.startswith(USERS_OWN) and name.upper() not in PROXIES
        }
        own = {**NOWHERE, "PULUMI_HOME": str(self.folder), "TMPDIR": str(self.folder / "tmp")}
        return engine_variables({**around, **own}, backend=backend, passphrase=passphrase)

    def _add_plugin(self, kind: str, name: str, version: str, module: list[str], *, search: Path | None = None) -> None:
        """An executable in the place where the engine would have installed it."""
        executable = self.folder / "plugins" / f"{kind}-{name}-v{version}" / f"pulumi-{kind}-{name}"
        executable.parent.mkdir(parents=True, exist_ok=True)
        command = shlex.join([sys.executable, "-P", "-m", *module])
        path = f"export PYTHONPATH={shlex.quote(str(search))}${{PYTHONPATH:+:$PYTHONPATH}}\n" if search else ""
        executable.write_text(f'#!/bin/sh\n{path}exec {command} "$@"\n')
        executable.chmod(0o755)
