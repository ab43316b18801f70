"""Records what a release leaves in a team's hands: the specification of prod, its public keys, and the state of its stack.

At a release: `.venv/bin/python -m tests.pulumi.recorded_state 0.2.0`, which writes into tests/fixtures/0.2.0. What was released
is never written again; until then the recording follows the program.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from firnline_infra.pulumi_cli import PulumiCli

from .environments import Trial, trial_of

FIXTURES = Path(__file__).parents[1] / "fixtures"
NAME = "prod"
OF_THE_RUN = ("created", "modified", "sourcePosition", "stackTrace")
"""What a state says of a resource that is of one run on one machine."""


def record(trial: Trial, folder: Path) -> None:
    """Makes the environment, and writes the files."""
    trial.deployment.up()
    exported: dict[str, Any] = json.loads(run(trial.cli, "stack", "export", "--show-secrets", "--stack", trial.stack))
    resources = [
        {name: value for name, value in resource.items() if name not in OF_THE_RUN}
        for resource in exported["deployment"]["resources"]
    ]
    lines = ",\n".join(json.dumps(resource, sort_keys=True) for resource in resources)
    text = (
        f'{{"version": {exported["version"]}, "deployment": {{"manifest": {MANIFEST}, "resources": [\n{lines}\n]}}}}\n'
    )
    folder.mkdir(exist_ok=True)
    (folder / "state.json").write_text(text, encoding="utf-8")
    for file in trial.spec_file.parent.glob(f"{NAME}.*"):
        (folder / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")


MANIFEST = json.dumps({"time": "2026-11-24T00:00:00Z", "magic": "", "version": ""})


def run(cli: PulumiCli, *command: str) -> str:
    """Returns what a command of the CLI prints that the product has no use for."""
    done = subprocess.run(
        cli.arguments(*command), env=dict(cli.variables), capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place, trial_of(NAME, Path(place)) as made:
        record(made, FIXTURES / sys.argv[1])
