"""The bottom of each test's stack, which is in no file: the beginnings of pytest and xdist (`<frozen runpy>`, `<string>`)."""

import inspect
import sys
from pathlib import Path
from types import FrameType


def know_the_modules_of_this_stack() -> None:
    """Enters them where `inspect` looks for a file's module first. It looks through all modules otherwise, some five thousand in
    a run, once for each such frame and each time that anybody asks for the stack.
    """
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        file, module = frame.f_code.co_filename, frame.f_globals.get("__name__")
        if module in sys.modules and not Path(file).exists():
            inspect.modulesbyfile.setdefault(file, module)
        frame = frame.f_back
