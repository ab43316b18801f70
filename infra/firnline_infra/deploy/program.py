"""Where the Pulumi program of an environment is, and what its stack is told: the path of the specification, no more.

For real accounts it is stacks/pulumi of the clone, with the settings that are committed there. For the embedded
environment it is a copy of it inside the environment's folder, which goes with the environment and leaves the clone clean.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import yaml

from firnline_infra.deploy.errors import NoProgram

PROGRAM = Path("stacks") / "pulumi"
SPEC = "firnline:spec"


@dataclass(frozen=True)
class Program:
    folder: Path
    stack: str

    @classmethod
    def committed(cls, stack: str, spec_file: Path, *, program: Path = PROGRAM) -> "Program":
        """Raises NoProgram where the stack's settings are missing, or name another specification."""
        settings = _of(program) / f"Pulumi.{stack}.yaml"
        named = _named_in(settings)
        wanted = _seen_from(settings, spec_file)
        if named is None:
            raise NoProgram(
                f"Stack {stack} has no settings: there is no {settings}, or it names no specification.",
                next_step=f"write it, and commit it:\n    config:\n      {SPEC}: {wanted}",
            )
        if (settings.parent / named).resolve() != spec_file.resolve():
            raise NoProgram(
                f"{settings} names {named}, and this is {spec_file}: two specifications of one environment.",
                next_step=f"give one of them another name, or set {SPEC} to {wanted}.",
            )
        return cls(settings.parent, stack)

    @classmethod
    def copied(cls, stack: str, spec_file: Path, into: Path, *, program: Path = PROGRAM) -> "Program":
        """May be repeated; settings that Pulumi has added stay. The copy runs with this interpreter."""
        source = _of(program)
        into.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / "__main__.py", into / "__main__.py")
        project = yaml.safe_load((source / "Pulumi.yaml").read_text(encoding="utf-8"))
        (into / "Pulumi.yaml").write_text(yaml.safe_dump({**project, "runtime": "python"}), encoding="utf-8")
        settings = into / f"Pulumi.{stack}.yaml"
        document = yaml.safe_load(settings.read_text(encoding="utf-8")) if settings.exists() else {}
        document = {**(document or {}), "config": {SPEC: str(spec_file.resolve())}}
        settings.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
        return cls(into, stack)


def write_settings(stack: str, spec_file: Path, *, program: Path = PROGRAM) -> Path | None:
    """Those of a new stack. None where there is no program here, or the stack has settings."""
    settings = program / f"Pulumi.{stack}.yaml"
    if not (program / "Pulumi.yaml").is_file() or settings.exists():
        return None
    settings.write_text(f"config:\n  {SPEC}: {_seen_from(settings, spec_file)}\n", encoding="utf-8")
    return settings


def _seen_from(settings: Path, spec_file: Path) -> str:
    return os.path.relpath(spec_file.resolve(), settings.parent.resolve())


def _of(program: Path) -> Path:
    if not (program / "Pulumi.yaml").is_file():
        raise NoProgram(
            f"There is no Pulumi program at {program}.",
            next_step="run the command in the folder of a clone of the project; elsewhere use `pulumi` with a program of "
            "your own (docs/deploy.md).",
        )
    return program


def _named_in(settings: Path) -> str | None:
    try:
        document = yaml.safe_load(settings.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    named = ((document or {}).get("config") or {}).get(SPEC)
    return str(named) if named else None
