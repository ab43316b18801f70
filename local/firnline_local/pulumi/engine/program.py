"""Runs one Pulumi program: `python -m firnline_local.pulumi.language.program SETTINGS ARGUMENTS...`.

Started by the host, one process a run, in the project's own interpreter. Ends with the host.
"""

import asyncio
import gc
import json
import logging
import os
import runpy
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from firnline_local.exit_with_parent import exit_when_parent_is_gone

ALREADY_SHOWN = 32  # exit status of a program whose error the engine has been given
THREADS_PER_OPERATION = 4  # as the stock host


def main() -> int:
    settings = json.loads(sys.argv[1])
    exit_when_parent_is_gone(settings.pop("parent_pid"))
    program = settings.pop("program")
    gc.disable()  # it runs for seconds; collections are a quarter of the time that the providers' SDKs take to load
    sys.argv = [program, *sys.argv[2:]]
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # futures that nothing awaited, where a resource failed
    return _run(program, settings)


def _run(program: str, settings: dict[str, Any]) -> int:
    import pulumi
    from pulumi import runtime

    runtime.set_all_config(runtime.get_config_env(), runtime.get_config_secret_keys_env())
    runtime.configure(runtime.Settings(**settings))
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)

    def run_program() -> None:
        runpy.run_path(program, run_name="__main__")

    threads = ThreadPoolExecutor(max_workers=max(settings["parallel"], 1) * THREADS_PER_OPERATION)
    loop.set_default_executor(threads)
    try:
        loop.run_until_complete(runtime.run_in_stack(run_program))
        return 0
    except pulumi.RunError as error:
        pulumi.log.error(str(error))
        return 1
    except Exception as error:
        pulumi.log.error(f"The program failed:\n{_traceback(error, program)}")
        return ALREADY_SHOWN
    finally:
        threads.shutdown(wait=True)
        loop.close()
        sys.stdout.flush()
        sys.stderr.flush()


def _traceback(error: Exception, program: str) -> str:
    """The traceback from the program's own first frame on, if it has one; what runs it is of no interest."""
    frames = traceback.extract_tb(error.__traceback__)
    own = next((at for at, frame in enumerate(frames) if frame.filename.startswith(program + os.sep)), 0)
    return "".join([*traceback.format_list(frames[own:]), *traceback.format_exception_only(error)])


if __name__ == "__main__":
    sys.exit(main())
