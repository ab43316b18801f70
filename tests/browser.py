"""Chromium without a window, asked by its own protocol through a pipe (--remote-debugging-pipe): nothing to install beside it.

The one that scripts/chromium provides is taken before the machine's own: it is pinned, and draws the same everywhere.
"""

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

PINS = Path(__file__).parent / "chromium"
PINNED = ("package-lock.json", "unpack.js")
OWN = ("chromium", "chromium-browser", "google-chrome")
PROVIDED_BY = "there is no Chromium: scripts/chromium provides one"
ENDS = b"\0"
AS_3_AND_4 = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)
HANGS_S = 60.0


def provided(cache: Path) -> Path:
    """The folder that scripts/chromium makes."""
    pins = b"".join((PINS / name).read_bytes() for name in PINNED)
    return cache / f"chromium-{hashlib.sha256(pins).hexdigest()[:12]}"


PROVIDED = provided(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "firnline")
CHROMIUM = (
    str(PROVIDED / "chromium")
    if PROVIDED.is_dir()
    else next((found for name in OWN if (found := shutil.which(name))), None)
)
# Its own package starts it so: it was built for one process, whose fonts no other one has.
AS_BUILT = ("--single-process", "--no-zygote", "--font-render-hinting=none") if PROVIDED.is_dir() else ()
LIBRARIES = {"LD_LIBRARY_PATH": str(PROVIDED / "lib"), "FONTCONFIG_PATH": str(PROVIDED)}


class Browser:
    """One page. Remembers what it wrote on its console, and what it could not load."""

    def __init__(self, read: int, write: int) -> None:
        self.complaints: list[str] = []
        self._read, self._write = read, write
        self._number, self._buffer = 0, b""
        self._session = ""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._ask(f"{domain}.enable")

    @classmethod
    @contextmanager
    def opened(cls) -> Iterator[Self]:
        assert CHROMIUM is not None
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        with TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as profile:
            command = [
                CHROMIUM, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
                "--disable-dev-shm-usage", "--disable-background-networking", "--hide-scrollbars",
                *AS_BUILT, f"--user-data-dir={profile}",
            ]  # fmt: skip # a paragraph, not a column
            variables = {**os.environ, **(LIBRARIES if PROVIDED.is_dir() else {}), "XDG_CACHE_HOME": profile}
            ends = (str(theirs_in), str(theirs_out))
            process = subprocess.Popen(
                [sys.executable, "-c", AS_3_AND_4, *ends, *command],
                pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=variables,
            )  # fmt: skip # a paragraph, not a column
            os.close(theirs_in)
            os.close(theirs_out)
            try:
                yield cls(ours_in, ours_out)
            finally:
                process.kill()
                process.wait()
                os.close(ours_in)
                os.close(ours_out)

    def sized(self, width: int, height: int, *, is_dark: bool = False) -> Self:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._ask("Emulation.setDeviceMetricsOverride", **metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        calm = {"name": "prefers-reduced-motion", "value": "reduce"}
        self._ask("Emulation.setEmulatedMedia", features=[scheme, calm])
        self._ask("Emulation.setTimezoneOverride", timezoneId="UTC")
        return self

    def visit(self, url: str, *, until: str) -> None:
        """Until a JavaScript expression is true."""
        self._ask("Page.navigate", url=url)
        self.wait(until)

    def wait(self, until: str) -> None:
        give_up_s = time.monotonic() + HANGS_S
        while not self.value(f"document.readyState === 'complete' && !!({until})"):
            assert time.monotonic() < give_up_s, f"{until} is not true: {self.complaints}"
            time.sleep(0.02)

    def value(self, expression: str) -> Any:
        answer = self._ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        code = {"Tab": 9, "Enter": 13}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self._ask("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **text)

    def picture(self, file: Path, *, whole: bool = False) -> None:
        shot = self._ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(shot["data"]))

    def _ask(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        session = {"sessionId": self._session} if self._session else {}
        message = {"id": self._number, "method": method, "params": parameters, **session}
        os.write(self._write, json.dumps(message).encode() + ENDS)
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self._note(answer)

    def _note(self, event: dict[str, Any]) -> None:
        method, told = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(str(told["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning"):
            self.complaints.append(str(told["args"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.complaints.append(str(told["entry"]))

    def _next(self) -> dict[str, Any]:
        while ENDS not in self._buffer:
            chunk = os.read(self._read, 1 << 20)
            assert chunk, "the browser has ended"
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(ENDS)
        found: dict[str, Any] = json.loads(line)
        return found
