"""`firnline --debug`: what the command asks of AWS and Snowflake, and the programs that it runs, line by line on standard error.

No key, token, password or PEM is among it: values are left out by the names of their fields, and what is left by its shape
(`firnline_ingest.logs`). What Pulumi and Terraform ask of their providers comes from the traces that they write themselves.
"""

import json
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from firnline_ingest.activity import Activity, listening
from firnline_ingest.logs import redacted
from firnline_ingest.secret_names import CONFIDENTIAL
from firnline_ingest.terminal import in_a_line

LONGEST = 2_000
"""Characters of a line: a policy or a page of records has many more."""
HIDDEN = "[redacted]"
SECRET_FIELD = re.compile(rf"{CONFIDENTIAL}|plaintext|ciphertext|credential|authorization|signature", re.IGNORECASE)
NAMES_ONE = re.compile(r"(id|arn|name|names|version|stage|stages|type|hash|days|window)$", re.IGNORECASE)
"""The end of a field that says which secret or key is meant, and not what it is."""
PULUMIS_SECRET = ("4dabf18193072939515e22adb298388d", "1b47061264138c4ac30d75fd1eb44270")
"""Marks a value as a secret in what Pulumi's engine sends (sdk/go/common/resource/sig)."""
PEM_BEGINS, PEM_ENDS = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    re.compile(r"-----END [A-Z ]*PRIVATE KEY-----"),
)
QUOTE = r"(?:\\*[\"']|%22)?"
ESCAPED_SHAPES = re.compile(
    rf"(?i:(?:{CONFIDENTIAL})\w*{QUOTE}\s*(?:=>?|:|%3D|%3A)\s*)(?!{QUOTE}\[redacted)"
    r"(?:'[^']*'|\\*\"[^\"\\]*|(?:%22)?[^\s\"'\\,}&%]{4,})"  # quoted, with escaped quotes, in a URL
    rf"|(?i:authorization{QUOTE}\s*[:=]\s*{QUOTE}(?:aws4-hmac-sha256|basic|bearer)\b)[^\"'\\\n]*"
    r"|(?i:signature(?:=|%3D)|security-token(?:=|%3D))[\w%+/=.-]{8,}"
    r"|(?<=://)[^/\s:@\"']+:[^/\s@\"']+(?=@)|(?<=%3A%2F%2F)[\w.~-]+%3A[^\s&]+?(?=%40)"  # a URL's user and password
    r"|(?<=SecretAccessKey>)[^<]+|(?<=SessionToken>)[^<]+"
)
"""What escaping hides from the shapes of a log, and what only requests have."""
TRACES = {"PULUMI_DEBUG_GRPC": "pulumi.json", "TF_LOG_PATH": "terraform.log"}
LEVELS = {"TF_LOG": "DEBUG"}
FOLLOWED_EVERY_S = 0.2


def say(line: str) -> None:
    text = in_a_line(redacted(ESCAPED_SHAPES.sub(HIDDEN, line)))
    print(f"debug: {text if len(text) <= LONGEST else text[: LONGEST - 1] + '…'}", file=sys.stderr, flush=True)


def hidden(value: Any, field: str = "") -> Any:
    """The value without what its fields say is secret; bytes as their number."""
    if isinstance(value, Mapping):
        if value.get(PULUMIS_SECRET[0]) == PULUMIS_SECRET[1]:
            return HIDDEN
        secure = value.get("Type") == "SecureString"
        return {key: HIDDEN if secure and key == "Value" else hidden(each, str(key)) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [hidden(each, field) for each in value]
    if value is not None and not isinstance(value, bool) and SECRET_FIELD.search(field) and not NAMES_ONE.search(field):
        return HIDDEN
    if isinstance(value, bytes | bytearray):
        return f"{len(value)} bytes"
    if isinstance(value, str):
        return redacted(ESCAPED_SHAPES.sub(HIDDEN, value))  # before its quotes are escaped, which hide a shape
    return value if isinstance(value, int | float | bool | None) else str(value)


@contextmanager
def debugging() -> Iterator[None]:
    """Everything is said until the block ends; what was changed for it is put back."""
    with ExitStack() as stack:
        _watch_boto(stack)
        _watch_snowflake(stack)
        stack.enter_context(_traces())
        stack.enter_context(listening(_heard))
        yield


def _heard(activity: Activity, error: BaseException | None) -> None:
    ended = f", {type(error).__name__}: {error}" if isinstance(error, Exception) else ""
    say(f"{activity.what} ({time.monotonic() - activity.began:.2f} s){ended}")


def _watch_boto(stack: ExitStack) -> None:
    """Every session that is made from now on says its calls: botocore's own way in (botocore.register_initializer)."""
    try:
        import botocore
    except ModuleNotFoundError:
        return

    def watch(session: Any) -> None:
        session.register("provide-client-params", _asked)
        session.register("after-call", _answered)
        session.register("after-call-error", _failed)

    botocore.register_initializer(watch)
    stack.callback(botocore.unregister_initializer, watch)


def _asked(params: Mapping[str, Any], model: Any, **_: Any) -> None:
    say(f"aws {model.service_model.service_name} {model.name} {_as_json(params)}")


def _answered(http_response: Any, parsed: Mapping[str, Any], model: Any, **_: Any) -> None:
    about = parsed.get("ResponseMetadata", {})
    rest = {key: value for key, value in parsed.items() if key != "ResponseMetadata"}
    said = f"{http_response.status_code}, request {about.get('RequestId', 'without an id')}"
    say(f"aws {model.service_model.service_name} {model.name} -> {said} {_as_json(rest)}")


def _failed(exception: Exception, **_: Any) -> None:
    say(f"aws -> no answer: {type(exception).__name__}: {exception}")


def _as_json(value: Any) -> str:
    return json.dumps(hidden(value), default=str, ensure_ascii=False)


def _watch_snowflake(stack: ExitStack) -> None:
    """Every statement of the connector's cursors, with its query id."""
    try:
        from snowflake.connector.cursor import SnowflakeCursor
    except ModuleNotFoundError:
        return
    execute = SnowflakeCursor.execute

    def told(cursor: Any, *arguments: Any, **options: Any) -> Any:
        began, command = time.monotonic(), arguments[0] if arguments else options.get("command")
        try:
            return execute(cursor, *arguments, **options)
        except Exception as error:
            say(f"snowflake -> {type(error).__name__}: {error}")
            raise
        finally:
            say(f"snowflake {cursor.sfqid or 'without a query id'} ({time.monotonic() - began:.2f} s): {command}")

    setattr(SnowflakeCursor, "execute", told)  # noqa: B010 - a method may not be assigned
    stack.callback(setattr, SnowflakeCursor, "execute", execute)


@contextmanager
def _traces() -> Iterator[None]:
    """Says what the tools trace into files of a folder that only this process's user reads, until the end."""
    given = {name: os.environ.get(name) for name in (*TRACES, *LEVELS)}
    with tempfile.TemporaryDirectory(prefix="firnline-debug-") as folder:
        files = {name: Path(folder) / file for name, file in TRACES.items() if given[name] is None}
        os.environ |= {name: str(file) for name, file in files.items()}
        os.environ |= {name: level for name, level in LEVELS.items() if given[name] is None}
        ended, thread = threading.Event(), None
        try:
            thread = threading.Thread(target=_follow, args=(list(files.values()), ended), daemon=True, name="traces")
            thread.start()
            yield
        finally:
            ended.set()
            if thread is not None:
                thread.join()
            for name, value in given.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


def _follow(files: list[Path], ended: threading.Event) -> None:
    traces = [Trace(file) for file in files]
    is_last = False
    while not is_last:
        is_last = ended.wait(FOLLOWED_EVERY_S)
        for trace in traces:
            for line in trace.lines(is_last=is_last):
                say(f"{trace.file.stem} {line}")


class Trace:
    """A file that grows, line by line: one of JSON without its secret fields, one of a PEM's lines not at all."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._read = 0
        self._is_in_pem = False

    def lines(self, *, is_last: bool) -> Iterator[str]:
        """Yields the whole lines that are new; the last time what is behind them, too."""
        if not self.file.exists():
            return
        with self.file.open("rb") as opened:
            opened.seek(self._read)
            text = opened.read()
        whole = text if is_last else text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.decode(errors="replace").splitlines():
            if not self._hides(line):
                yield _traced(line)

    def _hides(self, line: str) -> bool:
        """Returns whether the line is inside of a PEM that began on another one."""
        was_inside = self._is_in_pem
        ends = [found.end() for found in PEM_ENDS.finditer(line)]
        begins = [found.end() for found in PEM_BEGINS.finditer(line)]
        if begins or ends:
            self._is_in_pem = bool(begins) and (not ends or begins[-1] > ends[-1])
        return was_inside


def _traced(line: str) -> str:
    try:
        return _as_json(json.loads(line))
    except ValueError:
        return line
