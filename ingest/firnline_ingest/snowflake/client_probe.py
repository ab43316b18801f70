"""Opens the client by which the engine would send rows, in a process of its own, and closes it: no channel is opened.

The SDK's runtime has one set of certificate authorities a process and stays in it, so the process that asks never loads it.
Run as `python -m firnline_ingest.snowflake.client_probe`, it takes the question on standard input and pickles what was raised.
"""

import base64
import json
import os
import pickle
import re
import subprocess
import sys
from dataclasses import asdict

from firnline_ingest.config.load import parse_config
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.snowflake.errors import KeyRefused, NotAllowed, SnowflakeUnavailable
from firnline_ingest.snowflake.key import load_key
from firnline_ingest.snowflake.preflight import check_connection
from firnline_ingest.values import TargetTable

PATIENCE_S = 60.0
"""The SDK asks again for what passes, and says nothing meanwhile."""
OPEN, RAISED = "client open", "raised "
REPEATED = re.compile(r"\bHTTP (?P<status>\d{3}), error_code=[^\n]*?(?=, url=|$)", re.MULTILINE)
"""How the SDK logs an answer that it asks again after: a refusal too, which it repeats for ever."""


def check_login(config: EngineConfig) -> str:
    """The connection with the user's key, by this process. Raises what `load_key` and `check_connection` raise."""
    return check_connection(config.snowflake, load_key(config))


def probe_client(config: EngineConfig, target: TargetTable) -> None:
    """Raises what keeps the engine from making its client: KeyRefused, LoginRefused, NotAllowed and others, also
    SnowflakeUnavailable where it is not made in time.
    """
    question = {"config": config.model_dump(mode="json", by_alias=True, exclude_none=True), "target": asdict(target)}
    command = [sys.executable, "-P", "-m", __name__]  # -P: a file of the current folder is not taken for a library
    telling = {**os.environ, "SS_LOG_LEVEL": "warn"}
    asked = json.dumps(question).encode()
    try:
        ran = subprocess.run(command, input=asked, capture_output=True, env=telling, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired as expired:
        said = (expired.stdout or b"").decode(errors="replace")
        raise _unmade(config, target, said) from None
    lines = ran.stdout.decode(errors="replace").splitlines()
    answer = next((line for line in reversed(lines) if line == OPEN or line.startswith(RAISED)), "")
    if answer.startswith(RAISED):
        raise _error(answer.removeprefix(RAISED))
    if answer != OPEN:
        words = (ran.stderr.decode(errors="replace").strip().splitlines() or ["it said nothing"])[-1]
        raise SnowflakeUnavailable("open the SDK's client", f"its process ended with status {ran.returncode}: {words}")


def _unmade(config: EngineConfig, target: TargetTable, said: str) -> FirnlineError:
    """Returns the error of a client that was not made in time: the refusal that the SDK has repeated, if it logged one."""
    refusals = list(REPEATED.finditer(said))
    snowflake, patience = config.snowflake, f"no answer in {PATIENCE_S:.0f} s"
    if not refusals:
        return SnowflakeUnavailable("open the SDK's client", patience)
    words = refusals[-1][0]
    match refusals[-1]["status"]:
        case "403" | "404":
            return NotAllowed(str(target), snowflake.role, words)
        case "401":
            return KeyRefused(snowflake.user, load_key(config).fingerprint, words)
        case _:
            return SnowflakeUnavailable("open the SDK's client", f"{patience}; the last one was {words}")


def main() -> str:
    """The answer's line."""
    from firnline_ingest.snowflake.sdk import SdkChannels

    question = json.load(sys.stdin)
    try:
        config = parse_config(json.dumps(question["config"]).encode(), "the configuration")
        SdkChannels(config).make_client(TargetTable(**question["target"]))
    except FirnlineError as error:
        return RAISED + base64.b64encode(pickle.dumps(error)).decode()
    return OPEN


def _error(text: str) -> FirnlineError:
    """Reads an error of our own child, which is as trusted as this process."""
    found: FirnlineError = pickle.loads(base64.b64decode(text))  # noqa: S301
    return found


if __name__ == "__main__":
    print(main(), flush=True)
    os._exit(0)  # the SDK's threads are not waited for
