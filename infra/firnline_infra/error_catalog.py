"""Every error that Firnline declares, found by its id: what `firnline explain` prints and the runbook is made from.

An error declares itself: its id, what happened and what to do (its message), how it comes about (`causes`), what helps
(`remedy`), and whether it is transient. A module is imported only where its text holds the id that is looked for.
"""

import re
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from string import Formatter
from types import ModuleType

from firnline_ingest.errors import FirnlineError, UsageError, nearest

DECLARED = re.compile(r'^    id(?:: ClassVar\[str\])? = "(FL-\d{4})"', re.MULTILINE)
OWN = ("firnline_infra", "firnline_ingest")
ADDED_BY = "firnline.commands"
"""Packages that offer commands declare errors too."""


def error_of(id_: str) -> type[FirnlineError]:
    """The class that declares an id, in any case, also by its number alone.

    Raises UsageError for an id that none does.
    """
    wanted = re.sub(r"^(?:FL)?(\d{4})$", r"FL-\1", id_.upper())
    modules = declaring_modules()
    for error in declared_in(import_module(modules[wanted])) if wanted in modules else ():
        if error.id == wanted:
            return error
    near = nearest(wanted, modules)
    raise UsageError(
        f"No error has the id {id_}.",
        next_step=f"did you mean {near}?" if near else "give one as a message shows it, for example FL-3011.",
    )


def declared_errors() -> dict[str, type[FirnlineError]]:
    """Every error of the installed packages by its id; imports all modules that declare one."""
    modules = sorted(set(declaring_modules().values()))
    return {error.id: error for module in modules for error in declared_in(import_module(module))}


def declared_in(module: ModuleType) -> Iterator[type[FirnlineError]]:
    """The errors that the module itself declares. An answer of an embedded service may have an id too, and is not an error of
    ours."""
    own = (each for each in vars(module).values() if getattr(each, "__module__", None) == module.__name__)
    errors = (each for each in own if isinstance(each, type) and issubclass(each, FirnlineError))
    return (error for error in errors if "id" in vars(error))


def message_of(error: type[FirnlineError]) -> str:
    """Returns the error's message, with <names> for its values; empty if a constructor writes it, or values alone.

    Computed words that follow another word without a blank are an addition that some cases have, and are left out.
    """
    message, has_words = "", False
    for text, name, _, _ in Formatter().parse(error.message):
        has_words = has_words or re.search(r"[^\W\d_]{2}", text) is not None
        message += text
        is_addition = isinstance(getattr(error, name or "", None), property) and re.search(r"[\w>)]$", message)
        message += f"<{name}>" if name is not None and not is_addition else ""
    return message if has_words else ""


def declaring_modules() -> dict[str, str]:
    """The module of each id, from the text of the installed packages."""
    return {id_: module for package in _packages() for module, ids in _ids_in(package) for id_ in ids}


def _packages() -> list[str]:
    added = {point.value.partition(".")[0] for point in entry_points(group=ADDED_BY)}
    return sorted({*OWN, *added})


def _ids_in(package: str) -> Iterator[tuple[str, list[str]]]:
    base = Path(str(files(package)))
    for file in sorted(base.rglob("*.py")):
        ids = DECLARED.findall(file.read_text(encoding="utf-8"))
        if ids:
            yield ".".join((package, *file.relative_to(base).with_suffix("").parts)).removesuffix(".__init__"), ids
