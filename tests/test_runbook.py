"""Every error id has one error, and one entry in the runbook."""

import importlib
import json
import pickle
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

import bench
import firnline_infra
import firnline_ingest
import firnline_local
from docs.tools import runbook
from docs.tools.error_pages import pages
from firnline_infra.cli.explain import explain
from firnline_infra.error_catalog import declared_errors, declaring_modules, error_of, message_of
from firnline_ingest.errors import DOCUMENTATION, FirnlineError, UsageError

PACKAGES = (bench, firnline_ingest, firnline_infra, firnline_local)
OWN_CONSTRUCTORS = 10
"""Errors that are not `declared`. The number may only fall: an error needs a constructor of its own if it chooses between whole
messages, has no fields (mypy derives no constructor for it), or is the base of all. Words that are computed are a property."""
SHIPPED = tuple(f"{package.__name__}." for package in PACKAGES)


def every_error() -> Iterator[type[FirnlineError]]:
    for package in PACKAGES:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    found = [FirnlineError]
    for error in found:
        found += [derived for derived in error.__subclasses__() if derived not in found]
    return (error for error in found if error.__module__.startswith(SHIPPED))


def ids() -> dict[str, list[str]]:
    found = defaultdict(list)
    for error in every_error():
        if "id" in vars(error):
            found[error.id].append(error.__name__)
    return dict(found)


def test_no_more_errors_have_a_constructor_of_their_own_than_did() -> None:
    own = sorted(
        f"{error.__module__}.{error.__name__}"
        for error in every_error()
        if "__init__" in vars(error) and error.__init__.__qualname__.startswith(f"{error.__qualname__}.")
    )
    assert len(own) <= OWN_CONSTRUCTORS, "\n".join(
        ("declare its fields and templates (firnline_ingest.errors.declared):", *own)
    )
    assert len(own) == OWN_CONSTRUCTORS, "set the ceiling to this number"


def test_no_two_errors_share_an_id() -> None:
    assert {id_: names for id_, names in ids().items() if len(names) > 1} == {}


def test_the_runbook_is_what_the_errors_declare() -> None:
    """`python -m docs.tools.runbook` writes it anew."""
    assert runbook.PAGE.read_text(encoding="utf-8") == runbook.page()


def test_each_id_has_one_place_in_the_runbook() -> None:
    slots = runbook.SLOT.findall(runbook.prose())
    assert sorted(id_ for slot in slots for id_ in runbook.ids_of(slot, ids())) == sorted(ids())


def test_every_error_that_is_raised_says_how_it_comes_about_and_what_helps() -> None:
    roots = {error for error in every_error() if error.__subclasses__()}
    silent = {error.__name__ for error in every_error() if "id" in vars(error) and not (error.causes and error.remedy)}
    assert silent <= {error.__name__ for error in roots}


@pytest.mark.parametrize("typed", ["fl-2204", "FL2204", "2204"])
def test_an_error_is_explained_by_its_id_however_it_is_typed(typed: str) -> None:
    result = CliRunner().invoke(explain, [typed])
    assert result.output.startswith("FL-2204 RecordsUnaccounted (fatal)\n\nRecords that became no row")
    assert "How it comes about: " in result.output
    assert "\nNext: report it" in result.output


@pytest.mark.parametrize(("id_", "hint"), [("FL-20041", "did you mean FL-2004?"), ("nonsense", "for example FL-3011")])
def test_an_id_that_no_error_has_is_refused_with_the_nearest_one(id_: str, hint: str) -> None:
    with pytest.raises(UsageError, match=re.escape(hint)):
        error_of(id_)


def test_an_error_that_crosses_processes_is_the_same_there() -> None:
    from firnline_ingest.kinesis.errors import StreamMissing

    error = pickle.loads(pickle.dumps(StreamMissing("orders")))
    assert isinstance(error, StreamMissing)
    assert str(error) == str(StreamMissing("orders"))
    assert (error.id, error.is_retryable) == ("FL-2001", False)


def test_each_error_of_texts_shows_them_as_they_are_and_crosses_processes() -> None:
    odd = "{0} {y} {{z}} %s"
    tried = 0
    for error in declared_errors().values():
        fields = {name: hint for each in error.__mro__ for name, hint in getattr(each, "__annotations__", {}).items()}
        if error._defaults and all(fields[name] is str for name in error._defaults):
            raised = error(**dict.fromkeys(error._defaults, odd))
            there = pickle.loads(pickle.dumps(raised))
            assert odd in str(raised), error
            assert (type(there), str(there), vars(there)) == (error, str(raised), vars(raised))
            tried += 1
    assert tried > 100


def test_an_entry_names_its_page_and_is_a_document_too() -> None:
    assert "More: https://firnline.github.io/firnline/errors/FL-3011/" in CliRunner().invoke(explain, ["3011"]).output
    document = json.loads(CliRunner().invoke(explain, ["FL-3011", "-o", "json"]).output)
    assert (document["id"], document["url"]) == ("FL-3011", "https://firnline.github.io/firnline/errors/FL-3011/")


def test_errors_are_found_by_the_words_of_their_entries() -> None:
    found = CliRunner().invoke(explain, ["user", "disabled"]).output
    assert "FL-3011  LoginRefused" in found
    assert "FL-2001" not in found
    assert len(CliRunner().invoke(explain, []).output.splitlines()) > 250
    refused = CliRunner().invoke(explain, ["banana"])
    assert isinstance(refused.exception, UsageError)
    assert "No error's entry has banana." in str(refused.exception)


def test_a_message_is_in_its_entry_and_found_by_its_words() -> None:
    message = "The stream <stream> does not exist in this account and region."
    assert f"Message: {message}" in CliRunner().invoke(explain, ["FL-2001"]).output
    assert json.loads(CliRunner().invoke(explain, ["FL-2001", "-o", "json"]).output)["message"] == message
    assert "FL-2001  StreamMissing" in CliRunner().invoke(explain, ["does", "not", "exist", "in", "this"]).output
    assert f"[FL-2001] {message}" in dict(pages())["errors/FL-2001.md"]


@pytest.mark.parametrize(
    ("id_", "message"),
    [
        ("FL-3006", "The table <table> does not exist, or role <role> sees nothing of it."),
        ("FL-7102", "<binary> is Pulumi <version>; "),
        ("FL-2406", ""),
    ],
    ids=["without what some cases add", "with a word that is computed", "none of values alone"],
)
def test_the_message_of_an_entry_is_what_each_case_has(id_: str, message: str) -> None:
    found = message_of(error_of(id_))
    assert found.startswith(message) if message else found == ""


def test_an_entry_is_shown_without_the_marks_of_a_page() -> None:
    for arguments in ([], ["FL-3107"], ["FL-2323"]):
        shown = CliRunner().invoke(explain, arguments).output
        assert "**" not in shown
        assert "](" not in shown
    assert f"{DOCUMENTATION}when-snowflake-changes/" in CliRunner().invoke(explain, ["FL-3107"]).output


def test_whoever_lists_all_errors_does_not_load_pulumi() -> None:
    """Pulumi's SDK takes a second, and a name is completed while a person waits."""
    assert [each for each in declaring_modules().values() if each.startswith("firnline_infra.pulumi.")] == []
