"""`firnline explain`: what the runbook says of an error, without a network; and which errors there are."""

import re
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.output import output_option, show

if TYPE_CHECKING:
    from firnline_infra.others_errors import OtherErrors
    from firnline_ingest.errors import FirnlineError

LINK = r"\[([^\]]+)\]\(([\w/.-]+\.md(?:#[\w-]+)?)\)"
ANOTHERS_ID = re.compile(r"ERROR_\d{4}|\w+Exception", re.IGNORECASE)
AN_ID = re.compile(r"(?:FL-?)?\d{4}", re.IGNORECASE)


def _complete_ids(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    from firnline_infra.error_catalog import declared_errors

    return [each for each in sorted(declared_errors()) if incomplete and each.startswith(incomplete.upper())]


@click.command()
@click.argument("words", metavar="[ID | WORD...]", nargs=-1, shell_complete=_complete_ids)
@output_option()
def explain(words: tuple[str, ...], output: str) -> None:
    """Print the runbook's entry of an error id, such as FL-3011.

    With an id of Snowflake's Kafka connector, such as ERROR_5030, says what it is here. With words in its place, lists the errors
    whose entries have them all; without any, all errors.

    \b
    For example:
      firnline explain FL-3011
      firnline explain key refused
    """
    from firnline_infra.error_catalog import error_of

    if len(words) == 1 and ANOTHERS_ID.fullmatch(words[0]):
        other = _of_another(words[0])
        show(
            output,
            lambda: _document_of_another(words[0].upper(), other),
            lambda: _text_of_another(words[0].upper(), other),
        )
        return
    if len(words) == 1 and (AN_ID.fullmatch(words[0]) or words[0].upper().startswith("FL-")):
        error = error_of(words[0])
        show(output, lambda: _document(error), lambda: _text(error))
        return
    found = _with_words(words)
    show(output, lambda: [_document(each) for each in found], lambda: _table(found))


def _of_another(id_: str) -> "OtherErrors":
    """Raises UsageError."""
    from firnline_infra.others_errors import BY_ID
    from firnline_ingest.errors import UsageError, did_you_mean

    if (other := BY_ID.get(id_.upper())) is None:
        named = sorted(each for listed in BY_ID.values() for each in listed.ids if " " not in each)
        raise UsageError(f"No connector that we know has an error {id_}.", next_step=did_you_mean(id_, named))
    return other


def _document_of_another(id_: str, other: "OtherErrors") -> dict[str, object]:
    from firnline_infra.error_catalog import error_of

    here = _document(error_of(other.here)) if other.here else {"id": None}
    return {**here, "theirs": {"id": id_, "connector": other.connector, "here": _plain(other.said)}}


def _text_of_another(id_: str, other: "OtherErrors") -> str:
    from firnline_infra.error_catalog import error_of
    from firnline_ingest.terminal import folded

    if not other.here:
        return folded(_plain(other.said), first=f"{id_} of {other.connector} has no counterpart. ")
    head, rest = _text(error_of(other.here)).split("\n\n", 1)
    return "\n\n".join([head, folded(_plain(other.said), first=f"{id_} of {other.connector}: "), rest])


def _document(error: "type[FirnlineError]") -> dict[str, str]:
    from firnline_infra.error_catalog import message_of
    from firnline_ingest.errors import url_of

    parts = {
        "message": message_of(error),
        "meaning": error.__doc__ or "",
        "causes": error.causes,
        "next_step": error.remedy,
    }
    return {"id": error.id, "name": error.__name__, "kind": error.kind(), **parts, "url": url_of(error.id)}


def _text(error: "type[FirnlineError]") -> str:
    from firnline_infra.error_catalog import message_of
    from firnline_ingest.errors import url_of
    from firnline_ingest.terminal import folded

    titles = {
        "": error.__doc__,
        "Message: ": " ".join(message_of(error).split()),
        "How it comes about: ": error.causes,
        "Next: ": error.remedy,
    }
    entry = [folded(_plain(said), first=title) for title, said in titles.items() if said]
    return "\n\n".join([f"{error.id} {error.__name__} ({error.kind()})", *entry, f"More: {url_of(error.id)}"])


def _with_words(words: tuple[str, ...]) -> "list[type[FirnlineError]]":
    """Raises UsageError where no entry has them all."""
    from firnline_infra.error_catalog import declared_errors
    from firnline_ingest.errors import UsageError

    errors = [error for _, error in sorted(declared_errors().items()) if error.causes]
    found = [error for error in errors if all(word.lower() in _entry(error) for word in words)]
    if not found:
        raise UsageError(
            f"No error's entry has {' and '.join(words)}.",
            next_step="give an id as a message shows it, for example FL-3011; fewer words; or none, for all of them.",
        )
    return found


def _entry(error: "type[FirnlineError]") -> str:
    parts = (error.id, error.__name__, error.__doc__ or "", error.message, error.causes, error.remedy)
    return " ".join(parts).lower()


def _table(errors: "list[type[FirnlineError]]") -> str:
    from firnline_ingest.terminal import text_table

    return text_table(
        ("id", "error", "how it comes about"), [(each.id, each.__name__, _plain(each.causes)) for each in errors]
    )


def _plain(said: str) -> str:
    """Returns an entry's words without marks of emphasis, and with the address of a page that they lead to."""
    from firnline_ingest.errors import DOCUMENTATION

    def address(found: re.Match[str]) -> str:
        page, _, anchor = found[2].partition("#")
        return f"{found[1]} ({DOCUMENTATION}{page.removesuffix('.md')}/{'#' if anchor else ''}{anchor})"

    return re.sub(LINK, address, said).replace("**", "")
