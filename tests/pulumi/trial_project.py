"""A Pulumi project to try things on: its program is a text, and its commands can be killed."""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import yaml

from firnline_infra.pulumi_cli.cli import PulumiCli

NAME, STACK = "trial", "dev"
MARK = "FIRNLINE_TRIAL"
LOOK_EVERY_S = 0.02


class TrialProject:
    """One stack, `dev`."""

    def __init__(self, cli: PulumiCli) -> None:
        self.cli = cli
        self.folder = cli.project
        self.mark = {MARK: uuid.uuid4().hex}
        """The variable by which `processes` knows what a command has started."""

    def write(self, program: str, **configuration: str) -> None:
        """The program, and what `pulumi.Config()` gives it."""
        self.folder.mkdir(exist_ok=True)
        (self.folder / "Pulumi.yaml").write_text(f"name: {NAME}\nruntime: python\n")
        (self.folder / "__main__.py").write_text(program)
        self.cli.init(STACK)
        settings = self.folder / f"Pulumi.{STACK}.yaml"
        stack = yaml.safe_load(settings.read_text())
        stack["config"] = {f"{NAME}:{key}": value for key, value in configuration.items()}
        settings.write_text(yaml.safe_dump(stack))

    @contextmanager
    def killed(self, *command: str, **variables: str) -> Iterator["RunningCommand"]:
        """A command that runs while the block does, and is killed at its end."""
        with tempfile.NamedTemporaryFile() as output:
            engine = subprocess.Popen(
                self.cli.arguments(*command, "--stack", STACK),
                env={**self.cli.variables, **variables, **self.mark},
                stdout=output,
                stderr=output,
            )
            try:
                yield RunningCommand(engine, Path(output.name))
            finally:
                engine.kill()
                engine.wait()

    def watched(self, **variables: str) -> PulumiCli:
        """A CLI like the project's, whose commands `kill_engine` finds."""
        return replace(self.cli, variables={**self.cli.variables, **variables, **self.mark})

    def kill_engine(self) -> None:
        """The running command of a `watched` CLI, as `kill -9` does it."""
        for pid in self.processes():
            with contextlib.suppress(OSError):  # it has ended
                if Path(f"/proc/{pid}/exe").resolve() == self.cli.binary.resolve():
                    os.kill(pid, signal.SIGKILL)

    def processes(self) -> set[int]:
        """Processes of the commands `killed` and `watched`, and of others with the mark: the engine, and all that it started
        (Linux).
        """
        return {int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal() and self._is_ours(entry)}

    def wait_until_all_have_ended(self, *, within_s: float) -> None:
        deadline = time.monotonic() + within_s
        while left := self.processes():
            if time.monotonic() > deadline:
                raise TimeoutError(f"processes {sorted(left)} still run after {within_s:g} s")
            time.sleep(LOOK_EVERY_S)

    def _is_ours(self, process: Path) -> bool:
        try:
            return f"{MARK}={self.mark[MARK]}".encode() in (process / "environ").read_bytes().split(b"\0")
        except OSError:  # it has ended, or is another user's
            return False


class RunningCommand:
    def __init__(self, engine: "subprocess.Popen[bytes]", output: Path) -> None:
        self._engine = engine
        self._output = output

    def wait_for(self, file: Path, *, lines: int = 0, within_s: float = 60) -> None:
        """Until something that the command has started has made the file, and so many lines are in it."""
        deadline = time.monotonic() + within_s
        while not file.exists() or len(file.read_text().splitlines()) < lines:
            if self._engine.poll() is not None:
                raise AssertionError(f"the command ended before {file.name} was made:\n{self._output.read_text()}")
            if time.monotonic() > deadline:
                raise TimeoutError(f"{file.name} was not made within {within_s:g} s:\n{self._output.read_text()}")
            time.sleep(LOOK_EVERY_S)
