"""A page for each error, at errors/FL-3011/: what `firnline explain` prints, with its links.

Made from the errors' declarations when the site is built; no file of them lies in the repository.
"""

import re
from collections.abc import Iterator, Mapping

from docs.tools.runbook import NOT_CODE, errors_by_id
from firnline_infra.error_catalog import message_of
from firnline_ingest.errors import FirnlineError

FOLDER = "errors"
ID = re.compile(r"FL-\d{4}")
LINKED = re.compile(r"\[(FL-\d{4})\]\((?:\.\./)*runbook\.md(?:#[\w-]+)?\)")
"""A link of a page to the runbook, under an id."""
PLAIN = re.compile(r"(`[^`\n]*`|\[[^\]\n]*\](?:\([^)\n]*\))?)|\b(FL-\d{4})\b")
"""What is code or a link already; or an id."""
ROOM = {
    "FL-1": "configuration, commands, the machine",
    "FL-2": "Kinesis and the ledger",
    "FL-3": "Snowflake",
    "FL-4": "dead letters, registries, credentials",
    "FL-5": "the engine's roll-out, drift",
    "FL-6": "accounts, keys, the embedded environment",
    "FL-7": "stacks",
}
KINDS = {
    "transient": "**Transient**: the engine waits, and goes on by itself.",
    "fatal": "**Fatal**: a person has to decide, or to repair.",
}


def pages() -> Iterator[tuple[str, str]]:
    """Each page's path below docs/, and its text."""
    errors = errors_by_id()
    yield f"{FOLDER}/index.md", _index(errors)
    for id_, error in errors.items():
        yield f"{FOLDER}/{id_}.md", _page(error)


def linked(markdown: str, page: str) -> str:
    """A page's text with each id of an error that is not a link yet, or one to the runbook, as a link to the error's page."""
    to = "../" * page.count("/") + FOLDER
    in_code = False

    def link(found: re.Match[str]) -> str:
        return found[1] or f"[{found[2]}]({to}/{found[2]}.md)"

    lines = []
    for line in LINKED.sub(rf"[\1]({to}/\1.md)", markdown).splitlines(keepends=True):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        is_text = not in_code and not line.startswith(("    ", "#"))
        lines.append(PLAIN.sub(link, line) if is_text else line)
    return "".join(lines)


def _page(error: type[FirnlineError]) -> str:
    said = re.sub(r"\s*Runbook: FL-\d{4}\.", "", error.__doc__ or "")
    message = message_of(error)
    parts = {
        "": _sentence(said),
        "Message": f"```text\n[{error.id}] {message}\n```" if message else "",
        "How it comes about": _sentence(error.causes),
        "What to do": _sentence(error.remedy),
    }
    text = "\n\n".join(f"## {title}\n\n{said}" if title else said for title, said in parts.items() if said)
    more = f"`firnline explain {error.id}` prints this page. [All errors](index.md), [the runbook](../runbook.md)."
    return f"# {error.id}: {_words(error.__name__)}\n\n{KINDS.get(error.kind(), '')}\n\n{text}\n\n{more}\n"


def _index(errors: Mapping[str, type[FirnlineError]]) -> str:
    lines = ["# Errors", "", "Each message has an id. `firnline explain ID` prints its page without a network.", ""]
    for first, title in ROOM.items():
        rows = [
            f"| [{id_}]({id_}.md) | {_words(error.__name__)} | {_escaped(error.causes or error.__doc__ or '')} |"
            for id_, error in sorted(errors.items())
            if id_.startswith(first)
        ]
        lines += [f"## {first}xxx: {title}", "", "| id | error | how it comes about |", "|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _words(name: str) -> str:
    """LoginRefused: login refused."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower().capitalize()


def _sentence(text: str) -> str:
    """Writes a sentence as a page has it: links from this folder, what looks like a tag escaped, a capital letter and a
    full stop.
    """
    said = NOT_CODE.sub(lambda found: {"<": "\\<"}.get(found[0], found[0]), " ".join(text.split()))
    said = re.sub(r"\]\((?!https?:)([\w/.-]+\.md)", r"](../\1", said)
    return f"{said[:1].upper()}{said[1:]}{'' if said.endswith(('.', ':')) else '.'}" if said else ""


def _escaped(text: str) -> str:
    return _sentence(NOT_CODE.sub(lambda found: {"|": "\\|"}.get(found[0], found[0]), text))
