"""The Pulumi program of an environment: where it is, and what its stack is given: the path of the specification, and what
encrypts secrets.

A program in stacks/pulumi is the team's own, and counts where there is one; else it is the one of this package. The settings
of a stack, Pulumi.<stack>.yaml, are in stacks/pulumi either way, and are committed. For the embedded environment the program
is copied into the environment's folder, which goes with the environment and leaves the repository clean.
"""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from firnline_infra.stack.errors import NoProgram

PROGRAM = Path("stacks") / "pulumi"
PACKAGED = Path(__file__).parents[1] / "programs" / "pulumi"
FILES = ("Pulumi.yaml", "__main__.py")
SPEC = "firnline:spec"


@dataclass(frozen=True)
class Program:
    folder: Path
    stack: str

    @classmethod
    def committed(
        cls, stack: str, spec_file: Path, *, secrets_provider: str | None = None, program: Path = PROGRAM
    ) -> "Program":
        """The program beside the specification, or the packaged one, for which missing settings are written; a program of a
        team's own has settings of its own.

        Raises NoProgram where the settings name no specification, or another one.
        """
        settings, is_packaged = settings_of(program, stack), not _is_there(program)
        if is_packaged and not settings.exists():
            write_settings(stack, spec_file, secrets_provider=secrets_provider, program=program)
        named, wanted = named_in(settings), _seen_from(settings, spec_file)
        if named is None:
            raise NoProgram(
                f"Stack {stack} has no settings: there is no {settings}, or it names no specification.",
                next_step=f"write it, and commit it:\n    config:\n      {SPEC}: {wanted}",
            )
        if named.resolve() != spec_file.resolve():
            raise NoProgram(
                f"{settings} names {named}, and this is {spec_file}: two specifications of one environment.",
                next_step=f"give one of them another name, or set {SPEC} to {wanted}.",
            )
        return cls(_packaged_beside(program, spec_file) if is_packaged else program, stack)

    @classmethod
    def copied(cls, stack: str, spec_file: Path, into: Path, *, program: Path = PROGRAM) -> "Program":
        """May be repeated; settings that Pulumi has added stay. The copy runs with this interpreter."""
        _copy(program if _is_there(program) else PACKAGED, into, runtime="python")
        settings = settings_of(into, stack)
        document = yaml.safe_load(settings.read_text(encoding="utf-8")) if settings.exists() else {}
        document = {**(document or {}), "config": {SPEC: str(spec_file.resolve())}}
        _put(settings, yaml.safe_dump(document, sort_keys=False))
        return cls(into, stack)


def write_settings(
    stack: str, spec_file: Path, *, secrets_provider: str | None = None, program: Path = PROGRAM
) -> Path:
    """Writes the settings of a new stack. `secrets_provider` is a URL of Pulumi's; a passphrase if absent."""
    settings = settings_of(program, stack)
    settings.parent.mkdir(parents=True, exist_ok=True)
    encrypting = f"secretsprovider: {secrets_provider}\n" if secrets_provider else ""
    text = f"{encrypting}config:\n  {SPEC}: {_seen_from(settings, spec_file)}\n"
    settings.write_text(text, encoding="utf-8")
    return settings


def named_in(settings: Path) -> Path | None:
    """The specification that the settings of a stack name."""
    named = (_read(settings).get("config") or {}).get(SPEC)
    return settings.parent / str(named) if named else None


def encryption_in(settings: Path) -> str | None:
    """Returns what the settings of a stack say that its secrets are encrypted with: a URL, `passphrase`, or nothing."""
    document = _read(settings)
    named = document.get("secretsprovider")
    return str(named) if named else "passphrase" if document.get("encryptionsalt") else None


def complete(settings: Path, state: Mapping[str, Any]) -> None:
    """Adds the encrypted data key of a stack that is there, where settings were not committed after its first `up`.

    Pulumi would make another one at each command, and for that whoever only previews would need a right to encrypt.
    """
    document = _read(settings)
    kept = state.get("deployment", {}).get("secrets_providers", {}).get("state", {})
    if document.get("secretsprovider") != kept.get("url") or "encryptedkey" in document or not kept.get("encryptedkey"):
        return
    text = settings.read_text(encoding="utf-8")
    settings.write_text(f"encryptedkey: {kept['encryptedkey']}\n{text}", encoding="utf-8")


def _read(settings: Path) -> dict[str, Any]:
    """Empty where there are none."""
    try:
        return yaml.safe_load(settings.read_text(encoding="utf-8")) or {}
    except FileNotFoundError:
        return {}


def settings_of(program: Path, stack: str) -> Path:
    return program / f"Pulumi.{stack}.yaml"


def _is_there(program: Path) -> bool:
    return (program / "Pulumi.yaml").is_file()


def _seen_from(settings: Path, spec_file: Path) -> str:
    return os.path.relpath(spec_file.resolve(), settings.parent.resolve())


def _packaged_beside(program: Path, spec_file: Path) -> Path:
    """A folder that git leaves out, which takes its settings from `program`.

    The program looks for the specification from its own folder, and the settings name it from theirs: the two are
    neighbours, so that a path that begins with .. means the same from both. Raises NoProgram where it doesn't.
    """
    if program.resolve() in spec_file.resolve().parents:
        raise NoProgram(
            f"{spec_file} lies in {program}, which is kept for settings.",
            next_step="move the specification into another folder, such as stacks/environments.",
        )
    folder = program.parent / ".firnline"
    _copy(PACKAGED, folder, stackConfigDir=f"../{program.name}")
    return folder


def _copy(source: Path, into: Path, **project: Any) -> None:
    """The program, and its project with some things said otherwise."""
    into.mkdir(parents=True, exist_ok=True)
    _put(into / "__main__.py", (source / "__main__.py").read_text(encoding="utf-8"))
    document = yaml.safe_load((source / "Pulumi.yaml").read_text(encoding="utf-8"))
    _put(into / "Pulumi.yaml", yaml.safe_dump({**document, **project}))


def _put(path: Path, text: str) -> None:
    """Takes the old file's place whole: another command may read it meanwhile."""
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, prefix=f".{path.name}.", delete=False, encoding="utf-8"
    ) as draft:
        draft.write(text)
    Path(draft.name).replace(path)
