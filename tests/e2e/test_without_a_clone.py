"""A platform engineer who has the packages and no clone: from an empty folder to an environment that is proven and gone.

The environment of Python is empty but for our three wheels; what they need of others is lent by a line in a .pth file. That is
honest, because such a line adds a folder and nothing else: the .pth files in it, by which our own code would come from the
clone, are not read, and where a package is in both, the wheel's is found first. The test looks where our code came from.
"""

import json
import os
import re
import subprocess
import sysconfig
import time
import venv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from firnline_infra.pulumi_cli import find_cli
from firnline_infra.pulumi_cli.errors import PulumiError

pytestmark = [pytest.mark.e2e, pytest.mark.pulumi, pytest.mark.timeout(900), pytest.mark.slow]

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs" / "tutorial.md"
UP_WITHIN_S = 120
ANSWERS = {
    "--name": "shop",
    "--region": "us-east-1",
    "--aws-account": "000000000000",
    "--snowflake-account": "FIRNLINE-LOCAL",
    "--warehouse": "COMPUTE_WH",
    "--stream": "orders",
    "--database": "SHOP",
    "--schema": "RAW",
}
RUNTIMES = {
    "by-hand": {},
    "emr-serverless": {"--subnet": "subnet-0a1b2c3d4e5f60718", "--vpc": "vpc-0a1b2c3d4e5f60718"},
}
"""What else `init` is told for each."""
BY_HAND, AS_A_JOB = {"validate dev", "run dev"}, {"status dev", "logs dev", "stop dev"}
"""Commands that the page has for one of the two alone."""
RECORDS, ROWS_WITHIN_S = 200, 600
WHERE_FROM = """
import firnline_infra, firnline_ingest, firnline_local
print(firnline_infra.__file__, firnline_ingest.__file__, firnline_local.__file__)
"""
NOT_OURS = ("PYTHONPATH", "VIRTUAL_ENV", "FIRNLINE_LOCAL_FOLDER", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


class Repository:
    """An empty folder, and the commands that are installed."""

    def __init__(self, folder: Path, environment: Path) -> None:
        self.folder, self.bin = folder, environment / "bin"
        self.variables = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
        self.variables["PATH"] = f"{self.bin}{os.pathsep}{self.variables['PATH']}"

    def __call__(self, program: str, *arguments: str) -> str:
        ran = subprocess.run(
            [str(self.bin / program), *arguments],
            cwd=self.folder,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, f"{program} {' '.join(arguments)}\n{ran.stdout[-5000:]}\n{ran.stderr[-5000:]}"
        return ran.stdout

    @property
    def files(self) -> set[str]:
        """Without what git leaves out."""
        found = (path.relative_to(self.folder) for path in self.folder.rglob("*") if path.is_file())
        return {str(path) for path in found if ".firnline" not in path.parts}

    @contextmanager
    def local_up(self, *options: str) -> Iterator[None]:
        """`firnline local up` in a terminal of its own, until it says what comes next."""
        log = self.folder.parent / "local-up.log"
        with log.open("w") as output:
            process = subprocess.Popen(
                [str(self.bin / "firnline"), "local", "up", *options],
                cwd=self.folder,
                env=self.variables,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            deadline = time.monotonic() + UP_WITHIN_S
            while "  firnline up " not in log.read_text():
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.1)
            yield
        finally:
            process.terminate()
            process.wait(timeout=60)


@pytest.fixture
def repository(tmp_path: Path, wheels: Mapping[str, Path]) -> Repository:
    try:
        find_cli()
    except PulumiError as error:
        pytest.skip(error.what)
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False, symlinks=True)
    python = environment / "bin" / "python"
    install = ["uv", "pip", "install", "--quiet", "--offline", "--no-index", "--no-deps", "--python", str(python)]
    here = Path(sysconfig.get_path("scripts"))
    subprocess.run([here / install[0], *install[1:], *map(str, wheels.values())], check=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(environment), "platbase": str(environment)}))
    (packages / "lent.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    folder = tmp_path / "repository"
    folder.mkdir()
    repository = Repository(folder, environment)
    assert all(Path(file).is_relative_to(packages) for file in repository("python", "-c", WHERE_FROM).split())
    return repository


def commands_of_the_tutorial() -> list[str]:
    """Yields the tutorial's commands of `firnline`, in their order, without the name."""
    page = TUTORIAL.read_text(encoding="utf-8").replace("\\\n", " ")
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", page, re.DOTALL))
    return [line.partition("#")[0].strip() for line in re.findall(r"^firnline (.*)$", blocks, re.MULTILINE)]


def here(command: str) -> str:
    """A command as the page says that it is typed without an account, and so that it ends by itself."""
    ends = {"run": "--available-now", "destroy": "--yes", "audit": "--warehouse COMPUTE_WH --output json"}
    verb, *rest = command.replace(" dev", " shop --local", 1).split()
    return " ".join([verb, *rest, ends.get(verb, "")]).strip()


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_the_tutorial_without_an_account_line_by_line_to_a_proven_environment_and_its_end(
    repository: Repository, runtime: str
) -> None:
    assert not repository.folder.is_relative_to(ROOT)

    def firnline(command: str) -> str:
        return repository("firnline", *command.split())

    def put() -> None:
        (repository.folder / "events.ndjson").write_text("".join(f'{{"order_id": {n}}}\n' for n in range(RECORDS)))
        firnline("local put orders events.ndjson")

    init, check, bootstrap, *others = commands_of_the_tutorial()
    assert (init.split()[0], check, bootstrap.split()[0]) == ("init", "spec check dev", "bootstrap")
    answers = {**ANSWERS, "--runtime": runtime, **RUNTIMES[runtime]}
    repository("firnline", "init", *(part for option in answers.items() for part in option), "--ephemeral")
    assert "good" in firnline("spec check shop")
    to_commit = repository.files
    of_others = AS_A_JOB if runtime == "by-hand" else BY_HAND
    assert of_others <= set(others)
    said: dict[str, str] = {}

    with repository.local_up("--spec", "stacks/environments/shop.yaml", "--empty"):
        for command in (each for each in others if each not in of_others):
            if command in ("run dev", "status dev"):
                put()
            if command == "logs dev":
                wait_for_rows(repository)
            if command == "destroy dev":
                assert "FIRNLINE_READER_KEY" not in firnline("local env")
                assert "no difference" in firnline("drift shop --local").lower()
            said[command] = firnline(here(command))
    assert "Key SHA256:" in said["keys create dev ingest"]
    assert "shop is up in the EMBEDDED environment" in said["up dev"]
    assert json.loads(said["audit dev"])["proven"] is True
    assert "resources of shop" in said["destroy dev"]
    assert repository.files - to_commit == {"stacks/environments/shop.keys.yaml", "events.ndjson"}


def wait_for_rows(repository: Repository) -> None:
    """The page's own line for looking at them, without an account."""
    count = ["local", "sql", "--role", "admin", "SELECT COUNT(*) AS N FROM SHOP.RAW.ORDERS"]
    deadline = time.monotonic() + ROWS_WITHIN_S
    while str(RECORDS) not in repository("firnline", *count):
        assert time.monotonic() < deadline
        time.sleep(1)
