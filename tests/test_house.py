"""Laws that keep the house small: one name for one thing, no module that nothing uses, no file that knows everything."""

import re
from collections import defaultdict

from docs.tools.layout import file_length, module_graph, modules, source_of

MOST_IMPORTS = 20
"""Of our own modules in one file."""
LONGEST_FILE, LONGEST_FUNCTION = 400, 52
"""In lines."""
FOUND_BY_NAME = (
    r"firnline_infra\.cli\.\w+",  # commands, by infra's lazy group
    r"firnline_local\.cli\.\w+",  # the same of firnline-local, by its entry points
    r"firnline_infra\.artefact\.files\.entry",  # goes into the engine's archive as a file
    r"firnline_ingest\.(formats|transforms)\.\w+",  # kinds, by listing the folder (config/kinds.py)
    r"firnline_local\.providers\.(aws|snowflake)\.kinds",  # by the name of a provider (providers/registry.py)
    r"firnline_infra\.policy\.pack",  # a team's policy pack imports it (stacks/policy)
    r"firnline_infra\.pulumi\.package\.component",  # the component package's program imports it (stacks/component)
    r"firnline_local\.demo\.engine",  # started as a process (demo/engine_process.py)
)
"""Modules that nothing imports by a statement, and what finds each."""


def test_no_public_class_name_stands_twice_in_a_distribution() -> None:
    places = defaultdict(list)
    for module, file in modules().items():
        for name in source_of(file).classes:
            if not name.startswith("_"):
                places[module.partition(".")[0], name].append(module)
    assert {name: found for (_, name), found in places.items() if len(found) > 1} == {}


def test_no_file_imports_more_than_twenty_of_ours() -> None:
    assert {name: len(others) for name, others in module_graph().items() if len(others) > MOST_IMPORTS} == {}


def test_every_module_is_used_by_another_one() -> None:
    """Data of pages, or a tool of tests, has no place in a wheel."""
    used = {module for imported in module_graph().values() for module in imported}
    unused = {
        name for name, file in modules().items() if name not in used and file.name not in {"__init__.py", "__main__.py"}
    }
    assert {name for name in unused if not any(re.fullmatch(pattern, name) for pattern in FOUND_BY_NAME)} == set()


def test_no_file_and_no_function_is_longer_than_its_bound() -> None:
    files = modules().items()
    assert {name: lines for name, file in files if (lines := file_length(file)) > LONGEST_FILE} == {}
    assert {
        f"{name}.{function}": lines
        for name, file in files
        for function, lines in source_of(file).functions.items()
        if lines > LONGEST_FUNCTION
    } == {}


def test_what_is_made_of_a_specification_takes_its_environment_and_never_the_document() -> None:
    """An environment is resolved once (docs/design/kinds.md)."""
    rooms = ("firnline_infra.blueprint.", "firnline_infra.kinds.", "firnline_infra.render.")
    taking = re.compile(r"def (\w+)\([^)]*: EnvironmentSpec\b")
    found = {
        name
        for module, file in modules().items()
        if module.startswith(rooms)
        for name in taking.findall(file.read_text(encoding="utf-8"))
    }
    assert found == {"blueprint_of"}
