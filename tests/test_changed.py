"""`--changed` leaves out what no change reaches, and nothing else: in a small checkout, and by what tests of this one load."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.changed import Checkout, changed_since

ROOT = Path(__file__).parents[1]
FILES = {
    "infra/firnline_infra/__init__.py": 'from importlib import import_module\n_HOMES = {"plan": "plan"}\n',
    "infra/firnline_infra/cli.py": 'from importlib.metadata import entry_points\nentry_points(group="commands")\n',
    "infra/firnline_infra/plan.py": "from firnline_infra import rows\n",
    "infra/firnline_infra/rows/__init__.py": "",
    "infra/firnline_infra/rows/streams.py": "",
    "infra/firnline_infra/rows/template.yaml": "",
    "infra/firnline_infra/files/entry.py": "",
    "infra/firnline_infra/files/Containerfile": "",
    "infra/firnline_infra/typed.py": "if TYPE_CHECKING:\n    from firnline_infra.plan import Plan\n",
    "local/firnline_local/__init__.py": "",
    "local/firnline_local/demo.py": "def demo():\n    import firnline_local.server\n",
    "local/firnline_local/server.py": "",
    "local/pyproject.toml": '[project]\n[project.entry-points."commands"]\ndemo = "firnline_local.demo:demo"\n',
    "tests/conftest.py": "def server():\n    import firnline_local.server\n\ndef autouse_one():\n    pass\n",
    "tests/test_law.py": "",
    "tests/docs/test_pages.py": "",
    "tests/infra/conftest.py": "def planned(server):\n    pass\n",
    "tests/infra/test_plan.py": "from firnline_infra import plan\n",
    "tests/infra/test_cli.py": "import firnline_infra.cli\n",
    "tests/infra/test_by_name.py": 'MODULE = "firnline_infra.plan:run"\n',
    "tests/infra/test_typed.py": "import firnline_infra.typed\n",
    "tests/infra/test_page.py": 'PAGE = "docs/plan.md"\n',
    "tests/infra/golden/plan.json": "",
    "tests/local/test_server.py": "def test(server): pass\n",
    "tests/local/test_worker.py": 'WORKER = "worker.py"\n',
    "tests/local/worker.py": "import firnline_local.server\n",
    "tests/local/test_nothing.py": "",
    "tests/local/test_golden.py": 'GOLDEN = TESTS / "infra" / "golden"\n',
    "tests/local/test_folder.py": 'PAGES = (ROOT / "docs").rglob("*.md")\n',
    "tests/local/read/conftest.py": 'def page():\n    return ROOT / "docs" / "read.md"\n',
    "tests/local/read/test_fixture.py": "def test(page): pass\n",
    "tests/e2e/test_story.py": "import pytest\npytestmark = pytest.mark.e2e\n",
}
INFRA = {f"tests/infra/test_{name}.py" for name in ("plan", "cli", "by_name", "typed", "page")}
LOCAL = {f"tests/local/test_{name}.py" for name in ("server", "worker", "nothing", "golden", "folder")}
LOCAL |= {"tests/local/read/test_fixture.py"}
EVERY = {*INFRA, *LOCAL, "tests/e2e/test_story.py"}


def named(*names: str) -> set[str]:
    return {path for path in EVERY if Path(path).stem.removeprefix("test_") in names}


def outside() -> dict[str, str]:
    """Returns the environment without what this run's pytest has there."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return Checkout(tmp_path)


@pytest.mark.parametrize(
    ("changed", "runs"),
    [
        ("infra/firnline_infra/plan.py", named("plan", "by_name", "story")),
        ("infra/firnline_infra/rows/streams.py", named("story")),
        ("infra/firnline_infra/rows/template.yaml", named("plan", "by_name", "story")),
        ("infra/firnline_infra/__init__.py", named("plan", "by_name", "cli", "typed", "story")),
        ("infra/firnline_infra/files/entry.py", named("plan", "by_name", "cli", "typed", "story")),
        ("infra/firnline_infra/files/Containerfile", named("plan", "by_name", "cli", "typed", "story")),
        ("local/firnline_local/demo.py", named("cli", "story")),
        ("local/firnline_local/server.py", named("cli", "server", "worker", "story")),
        ("tests/local/worker.py", named("worker")),
        ("tests/local/test_nothing.py", named("nothing")),
        ("tests/infra/conftest.py", INFRA),
        ("tests/infra/golden/plan.json", INFRA | named("golden")),
        ("docs/plan.md", named("page", "folder")),
        ("docs/read.md", named("folder", "fixture")),
        ("docs/other.md", named("folder")),
        ("scripts/test", EVERY),
        ("uv.lock", EVERY),
    ],
)
def test_what_a_change_reaches_runs_and_nothing_else(checkout: Checkout, changed: str, runs: set[str]) -> None:
    assert EVERY - checkout.left_out([changed]) == runs


def test_the_laws_and_the_tests_of_pages_are_never_left_out(checkout: Checkout) -> None:
    assert checkout.left_out([]) == EVERY


def test_a_fixture_that_is_asked_for_by_another_one_counts(checkout: Checkout) -> None:
    file = checkout.root / "tests/infra/test_plan.py"
    file.write_text("def test(planned): pass\n", encoding="utf-8")
    assert "tests/infra/test_plan.py" not in checkout.left_out(["local/firnline_local/server.py"])


def test_what_is_committed_here_and_what_is_not_is_a_change(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    def write(*names: str) -> None:
        for name in names:
            (tmp_path / name).write_text(name, encoding="utf-8")
        git("add", *names)

    git("init", "-b", "main")
    write("old", "removed", "edited")
    git("commit", "-m", "first")
    git("checkout", "-b", "change")
    write("committed")
    git("rm", "removed")
    git("commit", "-m", "second")
    git("checkout", "main")
    write("of-others")
    git("commit", "-m", "third")
    git("checkout", "change")
    (tmp_path / "edited").write_text("other", encoding="utf-8")
    (tmp_path / "new").write_text("new", encoding="utf-8")
    assert changed_since("main", tmp_path) == {"committed", "removed", "edited", "new"}


def test_a_commit_that_git_does_not_know_is_told(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    with pytest.raises(pytest.UsageError, match=r"^--changed=gone: fatal: .* Next: give a branch"):
        changed_since("gone", tmp_path)


def test_each_process_of_a_run_leaves_the_same_out(checkout: Checkout) -> None:
    for path in EVERY:
        (checkout.root / path).write_text("def test_it(): pass\n", encoding="utf-8")
    (checkout.root / "tests/conftest.py").unlink()
    (checkout.root / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=checkout.root, check=True)
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", "add", "."], cwd=checkout.root, check=True)
    subprocess.run(["git", *who, "commit", "-qm", "all"], cwd=checkout.root, check=True)
    (checkout.root / "tests/local/test_nothing.py").write_text("def test_this(): pass\n", encoding="utf-8")
    plugins = ("-p", "xdist", "-p", "tests.changed", "-p", "no:cacheprovider", "-n", "2", "--import-mode=importlib")
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--rootdir",
            ".",
            *plugins,
            "--changed=HEAD",
            "-v",
            "tests/infra",
            "tests/local",
        ],
        cwd=checkout.root,
        env={**outside(), "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 passed" in ran.stdout, ran.stdout + ran.stderr
    assert "Test files that the change does not reach: 11." in ran.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("infra/firnline_infra/artefact/files/Containerfile", "tests/infra/artefact/test_image.py"),
        ("infra/firnline_infra/programs/pulumi/Pulumi.yaml", "tests/infra/test_programs.py"),
        ("tests/infra/blueprint/rich.yaml", "tests/infra/specification/test_load.py"),
        ("tests/contract/golden/engine-prod.json", "tests/ingest/aws/test_configuration.py"),
        ("tests/kcl/golden/kcl-1.15.3-single.json", "tests/ingest/migration/test_plan.py"),
        ("docs/spec.md", "tests/sql/test_statements.py"),
        ("examples/first-pipeline/orders.ndjson", "tests/e2e/test_examples.py"),
        ("stacks/policy/__main__.py", "tests/infra/policy/test_pack.py"),
    ],
)
def test_what_reads_a_file_is_reached_by_it(changed: str, test: str) -> None:
    assert test not in Checkout(ROOT).left_out([changed])


@pytest.mark.slow
@pytest.mark.e2e
def test_a_test_loads_nothing_that_is_not_said_to_reach_it(tmp_path: Path) -> None:
    plugin = "import json, os, sys\nfrom pathlib import Path\ndef pytest_sessionfinish():\n"
    plugin += "    Path(os.environ['LOADED']).write_text(json.dumps(list(sys.modules)))\n"
    (tmp_path / "what_is_loaded.py").write_text(plugin, encoding="utf-8")
    here, unsaid = Checkout(ROOT), dict[str, set[str]]()
    for test in (
        "tests/local/cli/test_options.py",
        "tests/infra/render/ci/test_gitlab.py",
        "tests/bench/test_figure.py",
    ):
        environment = {**outside(), "PYTHONPATH": str(tmp_path), "LOADED": str(tmp_path / "loaded.json")}
        command = [sys.executable, "-m", "pytest", "-p", "what_is_loaded", test]
        subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
        loaded = here.modules.keys() & json.loads((tmp_path / "loaded.json").read_text(encoding="utf-8"))
        begins = here.begins_with(test)
        ours = {name for name in loaded if name.startswith("firnline")}
        unsaid[test] = {name for name in ours if begins.isdisjoint(here.reached_by({name}))}
    assert not any(unsaid.values()), unsaid
