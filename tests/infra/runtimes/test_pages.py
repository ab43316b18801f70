"""The examples of docs/runtimes are specifications that are good, and jobs that their services take."""

import re
from pathlib import Path

import pytest
import yaml

from firnline_infra.runtimes.registry import RUNTIMES, render
from firnline_infra.specification import parse_spec
from tests.infra.runtimes.environments import ENVIRONMENTS, job_of

PAGES = Path(__file__).parents[3] / "docs" / "runtimes"
EXAMPLES = {path.stem: re.findall(r"```yaml\n(.*?)```", path.read_text(), re.DOTALL) for path in PAGES.glob("*.md")}


def test_each_runtime_has_a_page_with_an_example() -> None:
    assert {kind.replace("_", "-") for kind in RUNTIMES} <= {page for page, found in EXAMPLES.items() if found}


@pytest.mark.parametrize(("page", "text"), [(page, text) for page, found in EXAMPLES.items() for text in found])
def test_an_example_can_be_used(page: str, text: str) -> None:
    document = yaml.safe_load((ENVIRONMENTS / "dev.yaml").read_text())
    document["aws"]["runtime"] = yaml.safe_load(text)
    spec = parse_spec(yaml.safe_dump(document), page)
    job = job_of(spec)
    assert render(job, token=job.hash)
    assert page == "sizing" or (job.runtime.kind or "").replace("_", "-") == page
