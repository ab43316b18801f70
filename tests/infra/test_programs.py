"""The programs of the package are those of stacks/: what runs without a copy is what is read and tested there.

After a change in stacks/: cp stacks/pulumi/__main__.py infra/firnline_infra/programs/pulumi/, and so for each layer.
"""

from pathlib import Path

import pytest
import yaml

from firnline_infra.stack.program import PACKAGED

STACKS = Path(__file__).parents[2] / "stacks"
LAYERS = ("foundation", "warehouse", "runtime")
PAIRS = [
    (PACKAGED, STACKS / "pulumi"),
    *((PACKAGED.parent / "pulumi_layered" / layer, STACKS / "pulumi-layered" / layer) for layer in LAYERS),
]


@pytest.mark.parametrize(("packaged", "read"), PAIRS, ids=lambda folder: folder.name)
def test_a_program_is_the_same_byte_for_byte(packaged: Path, read: Path) -> None:
    assert (packaged / "__main__.py").read_bytes() == (read / "__main__.py").read_bytes()


@pytest.mark.parametrize(("packaged", "read"), PAIRS, ids=lambda folder: folder.name)
def test_a_project_differs_in_its_interpreter_alone(packaged: Path, read: Path) -> None:
    """A clone has an environment of its own; elsewhere it is the one that the package is installed in."""
    ours, cloned = (yaml.safe_load((folder / "Pulumi.yaml").read_text()) for folder in (packaged, read))
    assert ours == {**cloned, "runtime": "python"}


def test_there_is_no_other_program() -> None:
    assert {path.parent for path in PACKAGED.parent.rglob("__main__.py")} == {packaged for packaged, _ in PAIRS}
    programs = {path.parent for path in STACKS.rglob("Pulumi.yaml")}
    plugins = {
        path.parent for path in STACKS.rglob("Pulumi*.yaml") if path.name in ("PulumiPlugin.yaml", "PulumiPolicy.yaml")
    }
    assert plugins == {STACKS / "policy", STACKS / "component"}
    assert programs == {path.parent for path in STACKS.rglob("__main__.py")} - plugins
    assert programs == {read for _, read in PAIRS}
