from pathlib import Path

import yaml
from click.testing import CliRunner

from firnline_infra.cli.main import firnline
from tests.infra.runtimes.environments import ENVIRONMENTS, RUNTIMES


def test_what_a_namespace_needs_is_yaml_to_apply(tmp_path: Path) -> None:
    document = yaml.safe_load((ENVIRONMENTS / "dev.yaml").read_text())
    document["aws"]["runtime"] = RUNTIMES["kubeflow"]
    place = tmp_path / "dev.yaml"
    place.write_text(yaml.safe_dump(document))
    result = CliRunner().invoke(firnline, ["outputs", str(place), "--kubernetes"])
    assert result.exit_code == 0, result.output
    account, role, binding, policy, budget = yaml.safe_load_all(result.output)
    assert (account["kind"], account["metadata"]["name"]) == ("ServiceAccount", "engine")
    assert account["metadata"]["annotations"]["eks.amazonaws.com/role-arn"].startswith(
        "arn:aws:iam::111122223333:role/firnline-dev-engine"
    )
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    assert (policy["kind"], budget["kind"]) == ("NetworkPolicy", "PodDisruptionBudget")
    result = CliRunner().invoke(firnline, ["outputs", str(place), "--kubernetes-deployer", "ci"])
    role, binding = yaml.safe_load_all(result.output)
    assert binding["roleRef"]["name"] == role["metadata"]["name"] == "firnline-dev-deployer"
    assert [subject["name"] for subject in binding["subjects"]] == ["ci"]


def test_an_environment_of_another_runtime_is_refused() -> None:
    result = CliRunner().invoke(firnline, ["outputs", str(ENVIRONMENTS / "dev.yaml"), "--kubernetes"])
    assert "runs under no Spark operator" in str(result.exception)
