"""The pages of the Python API have every name that a module promises, with its docstring."""

import re
from html import unescape
from importlib import import_module
from pathlib import Path

import pytest

from docs.tools import python_api

MODULES = [(page, module) for page, (_, modules) in python_api.PAGES.items() for module in modules]
DOCUMENTED_BESIDE = {"Clock": "Returns the time"}
"""A type alias can't have a docstring that Python knows."""


@pytest.mark.parametrize(("page", "module"), MODULES, ids=[module for _, module in MODULES])
def test_each_promised_name_stands_on_its_page_with_what_its_docstring_says(site: Path, page: str, module: str) -> None:
    folder = site / python_api.FOLDER / ("" if page == "index" else page)
    html = (folder / "index.html").read_text(encoding="utf-8")
    text = "".join(unescape(re.sub(r"<[^>]+>", "", html)).split())
    names = import_module(module).__all__
    assert python_api.promised(module)[1] == names
    for name in names:
        assert f'id="{module}.{name}"' in html
        said = DOCUMENTED_BESIDE.get(name) or getattr(import_module(module), name).__doc__ or ""
        assert said, f"{name} has no docstring"
        assert not said.startswith(f"{name}("), f"{name} has no docstring but the dataclass's"
        first = re.sub(r"[\s`*_]", "", said.partition(".")[0])
        assert first in text.replace("_", ""), name


def test_every_package_that_promises_names_has_a_page() -> None:
    promising = {"firnline_infra", "firnline_ingest", "firnline_local"}
    assert promising <= {module for _, module in MODULES}
    assert {"firnline_infra.audit", "firnline_infra.pulumi", "firnline_local.kinesis"} <= {
        module for _, module in MODULES
    }


def test_a_module_without_a_promise_is_none_for_a_page() -> None:
    with pytest.raises(ValueError, match="has no __all__"):
        python_api.promised("firnline_infra.estimate")
