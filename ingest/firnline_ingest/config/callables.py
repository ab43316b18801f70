"""A function of the user's by its import path: found, looked at, and what its code is.

Only the engine and the audit load it: reading a specification does not run a line of it.
"""

import hashlib
import importlib
import inspect
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from firnline_ingest.config.form import Form
from firnline_ingest.errors import Fatal, FirnlineError, declared

IMPORT_PATH = Form(
    r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", "a module, a colon and a function", "acme.orders:cleaned"
)


@declared
class CallableUnusable(FirnlineError, Fatal):
    """A function that transforms name can't be had here, so not one record can be judged."""

    path: str
    why: str

    id = "FL-4141"
    message = "The callable {path} of a pipeline's transforms can't be used here: {why}."
    next_step = (
        "put its module where the engine runs (aws.runtime.modules, docs/transforms.md), or where this command runs "
        "(PYTHONPATH); `python -c 'import MODULE'` has to succeed there."
    )
    causes = (
        "A function that `transforms` name can't be imported, is none, or is asynchronous; nothing of its streams is "
        "read"
    )
    remedy = "put its module where the engine runs (docs/transforms.md), or on PYTHONPATH where the command runs"


def load_callable(path: str) -> Callable[[Any], Any]:
    """Imports its module. Raises CallableUnusable, whatever that does."""
    module, _, name = path.partition(":")
    try:
        found = getattr(importlib.import_module(module), name, None)
    except (Exception, SystemExit) as error:
        raise CallableUnusable(path, f"importing {module} raised {type(error).__name__}: {error}") from error
    if found is None:
        raise CallableUnusable(path, f"{module} has no {name}")
    if not callable(found):
        raise CallableUnusable(path, f"{name} is not a function")
    if inspect.iscoroutinefunction(found) or inspect.isgeneratorfunction(found) or inspect.isasyncgenfunction(found):
        raise CallableUnusable(
            path, f"{name} is asynchronous or a generator; expected a function that returns the record"
        )
    function: Callable[[Any], Any] = found
    return function


def code_of(path: str) -> str:
    """SHA-256 of its module's file; of what the module imports nothing is known. Raises CallableUnusable."""
    module = path.partition(":")[0]
    try:
        found = find_spec(module)
    except (Exception, SystemExit) as error:
        raise CallableUnusable(path, f"looking for {module} raised {type(error).__name__}: {error}") from error
    if found is None or found.origin is None or not Path(found.origin).is_file():
        raise CallableUnusable(path, f"there is no file of the module {module}")
    return hashlib.sha256(Path(found.origin).read_bytes()).hexdigest()
