"""Fills the slots of a template file.

A slot is @NAME@, or @NAME|yaml@ with what quotes its value; a list becomes its quoted elements with commas between them. Lines
that begin with ## are for whoever reads the template, and are left out.
"""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files

SLOT = re.compile(r"@([A-Z_]+)(?:\|([a-z]+))?@")


def yaml(text: str) -> str:
    """A YAML scalar, whatever is in it: an environment may be called `on`, and an identifier have quotes of its own."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def github(text: str) -> str:
    """A YAML scalar that GitHub takes for no expression. (In an expression a literal stands for itself.)"""
    return yaml(text.replace("${{", "${{ '${{' }}"))


QUOTED: Mapping[str | None, Callable[[str], str]] = {None: str, "yaml": yaml, "github": github, "shell": shlex.quote}


def filled(package: str, name: str, slots: Mapping[str, str | Sequence[str]]) -> str:
    """The file `name` in `package`'s folder `files`. Raises KeyError for a slot without a value, or a value without a slot."""
    lines = files(package).joinpath("files", name).read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join(line for line in lines if not line.lstrip().startswith("##"))
    if unused := slots.keys() - {name for name, _ in SLOT.findall(text)}:
        raise KeyError(f"{name} has no slot for {', '.join(sorted(unused))}")

    def value(slot: re.Match[str]) -> str:
        given, quoted = slots[slot[1]], QUOTED[slot[2]]
        return quoted(given) if isinstance(given, str) else ", ".join(map(quoted, given))

    return SLOT.sub(value, text)
