"""The recording of the demo: `python -m docs.tools.recording` runs it in a terminal of its own and writes two files.

`docs/images/demo.cast` is what it printed and when (asciicast v2), `demo.svg` the picture that plays it without a script.
`python -m docs.tools.recording --draw` draws the picture again from the recording.
"""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
CAST, PICTURE = (ROOT / "docs" / "images" / name for name in ("demo.cast", "demo.svg"))
COLUMNS, ROWS = 80, 40
COMMAND = "firnline demo"
LONGEST_PAUSE_S, LONGEST_S, SHORTEST_LINE_S = 1.5, 45.0, 0.4
"""A pause is played no longer, and all of it so much faster; a live line that was replaced sooner is not drawn."""
UNTIL = "The engine.json that was used"
"""What follows the proof is in the recording, and not in the picture."""
CONTROL = re.compile(r"\x1b\[([0-9;?]*)([a-zA-Z])|(\r\n|\n|\r)")
LINE_PX, CHARACTER_PX, MARGIN_PX = 18, 8.4, 16
STYLE = (
    "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#e6edf3;white-space:pre;opacity:0;"
    "animation:on 1ms linear var(--at) forwards,off 1ms linear var(--end) forwards}"
    ".b{font-weight:700;fill:#79c0ff}@keyframes on{to{opacity:1}}@keyframes off{to{opacity:0}}"
    "@media(prefers-reduced-motion){text{animation:none;opacity:1}.r{display:none}}"
)


@dataclass(slots=True)
class DrawnLine:
    """A line of the terminal as it stood from one moment to another, in seconds; without an end it stays."""

    row: int
    text: str
    at_s: float
    end_s: float | None = None
    is_bold: bool = False


@dataclass(slots=True)
class Screen:
    """A terminal that knows ends of lines, bold and a return to the line's beginning: what the demo uses."""

    row: int = 0
    column: int = 0
    is_bold: bool = False
    text: str = ""
    lines: list[DrawnLine] = field(default_factory=list)

    def feed(self, at_s: float, text: str) -> None:
        place = 0
        for found in CONTROL.finditer(text):
            self._write(text[place : found.start()], at_s)
            place = found.end()
            if found[2] == "m":
                self.is_bold = "1" in found[1].split(";")
            elif found[3] == "\r":
                self.column = 0
            elif found[3]:
                self.row, self.column, self.text = self.row + 1, 0, ""
        self._write(text[place:], at_s)

    def _write(self, text: str, at_s: float) -> None:
        if not text:
            return
        before = self.text.ljust(self.column)
        self.text = before[: self.column] + text + before[self.column + len(text) :]
        self.column += len(text)
        drawn = self.text.rstrip()
        last = self.lines[-1] if self.lines and self.lines[-1].row == self.row else None
        if last is not None and (last.text == drawn or at_s - last.at_s < SHORTEST_LINE_S):
            last.text = drawn
            return
        if last is not None:
            last.end_s = at_s
        self.lines.append(DrawnLine(self.row, drawn, at_s, is_bold=self.is_bold))


def record(command: Sequence[str]) -> str:
    """Returns the asciicast of a command in a terminal of 80 columns. Raises RuntimeError where it fails."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    header = {"version": 2, "width": COLUMNS, "height": ROWS, "title": COMMAND, "env": {"TERM": "xterm-256color"}}
    lines, began = [json.dumps(header)], time.monotonic()
    child = subprocess.Popen(
        command, cwd=ROOT, stdin=its, stdout=its, stderr=its, env={**os.environ, "TERM": "xterm-256color"}
    )
    os.close(its)
    decoder = getincrementaldecoder("utf-8")("replace")
    while piece := _read(ours):
        lines.append(json.dumps([round(time.monotonic() - began, 3), "o", decoder.decode(piece)], ensure_ascii=False))
    if child.wait() != 0:
        raise RuntimeError(f"{command} ended with {child.returncode}: no recording")
    return "\n".join(lines).replace(str(ROOT), "~/firnline") + "\n"


def _read(terminal: int) -> bytes:
    """Empty at the end, for which Linux has an error."""
    try:
        return os.read(terminal, 65_536)
    except OSError:
        return b""


def drawn_lines(cast: str) -> list[DrawnLine]:
    """Every line as it stood, with pauses shortened."""
    screen, played, before = Screen(), [0.0], 0.0
    events = [json.loads(line) for line in cast.splitlines()[1:]]
    for at_s, _, _ in events:
        played.append(played[-1] + min(at_s - before, LONGEST_PAUSE_S))
        before = at_s
    faster = max(1.0, played[-1] / LONGEST_S)
    for (_, _, text), at_s in zip(events, played[1:], strict=True):
        if UNTIL in text:  # one read of the terminal may hold the end of the proof as well
            screen.feed(at_s / faster, text[: text.index(UNTIL)].rpartition("\n")[0])
            break
        screen.feed(at_s / faster, text)
    return [each for each in screen.lines if each.text]


def svg(cast: str) -> str:
    """A picture as high as all that was printed, so that its end can be read as a whole."""
    lines = drawn_lines(cast)
    width = COLUMNS * CHARACTER_PX + 2 * MARGIN_PX
    height = (max((each.row for each in lines), default=0) + 2) * LINE_PX + 2 * MARGIN_PX
    title = f"A recording of {COMMAND}: records flow, the engine is killed, and every record is in the table once."
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">',
            f"<title>{title}</title><style>{STYLE}</style>",
            f'<rect width="{width:g}" height="{height:g}" rx="8" fill="#0d1117"/>',
            *(map(_text, [DrawnLine(-1, f"$ {COMMAND}", 0.0), *lines])),
            "</svg>\n",
        ]
    )


def _text(line: DrawnLine) -> str:
    kinds = " ".join(_kinds(line))
    end = "1e6s" if line.end_s is None else f"{line.end_s:.2f}s"
    place = f'x="{MARGIN_PX}" y="{MARGIN_PX + (line.row + 2) * LINE_PX - 5}"'
    class_ = f' class="{kinds}"' if kinds else ""
    style = f'style="--at:{line.at_s:.2f}s;--end:{end}" xml:space="preserve"'
    return f"<text {place}{class_} {style}>{escape(line.text, quote=False)}</text>"


def _kinds(line: DrawnLine) -> Iterator[str]:
    """Bold, and what is replaced later."""
    if line.is_bold:
        yield "b"
    if line.end_s is not None:
        yield "r"


def main() -> None:
    if "--draw" not in sys.argv:
        CAST.write_text(record([str(Path(sys.executable).with_name("firnline")), "demo"]), encoding="utf-8")
    PICTURE.write_text(svg(CAST.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
